// A calculator by recursive descent. What it divides by is looked at first.
// run: --sym-stdin 4
// domain: stdin 4 0123456789+-*/()x
// paths: 189
#include <stdio.h>
#include <unistd.h>

struct text {
	char bytes[5];
	int at, bad;
};

static int sum(struct text *t);

static int factor(struct text *t)
{
	char c = t->bytes[t->at];
	if (c == '(') {
		t->at++;
		int value = sum(t);
		if (t->bytes[t->at] != ')') {
			t->bad = 1;
			return 0;
		}
		t->at++;
		return value;
	}
	if (c == '-') {
		t->at++;
		return -factor(t);
	}
	if (c < '0' || c > '9') {
		t->bad = 1;
		return 0;
	}
	t->at++;
	return c - '0';
}

static int product(struct text *t)
{
	int value = factor(t);
	while (!t->bad) {
		char c = t->bytes[t->at];
		if (c != '*' && c != '/')
			break;
		t->at++;
		int other = factor(t);
		if (t->bad)
			break;
		if (c == '*') {
			value *= other;
		} else if (other == 0) {
			t->bad = 2;
		} else {
			value /= other;
		}
	}
	return value;
}

static int sum(struct text *t)
{
	int value = product(t);
	while (!t->bad && t->bytes[t->at] == '+') {
		t->at++;
		value += product(t);
	}
	return value;
}

int main(void)
{
	struct text t = {{0}, 0, 0};
	ssize_t n = read(0, t.bytes, 4);
	if (n < 1)
		return 3;
	int value = sum(&t);
	if (t.bad || t.bytes[t.at])
		return 1;
	if (value == 42)
		puts("the answer");
	return 0;
}
