// rule
