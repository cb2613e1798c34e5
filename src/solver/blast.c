// blast
