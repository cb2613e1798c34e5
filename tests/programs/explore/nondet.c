// SV-COMP's spelling; a sum that can overflow.
// finds: warning signed-add-overflow BUG
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int condition);

int main(void)
{
	int x = __VERIFIER_nondet_int();
	unsigned char n = __VERIFIER_nondet_uchar();
	__VERIFIER_assume(x > 0 && n < 4);
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum = sum + x / 2; // BUG
	if (sum == 3000)
		return 1;
	return sum < 0 ? 2 : 0;
}
