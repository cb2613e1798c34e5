// rewrite
