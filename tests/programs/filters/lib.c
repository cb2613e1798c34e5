// A file that both programs of tests/e2e/filters.sh share.
int divide(int a, int b);
int twice(int x);

int divide(int a, int b)
{
	return a / b; // DIVIDE
}

int twice(int x)
{
	return x + x; // TWICE
}
