// As the software verification competitions have them: everything is declared here, and
// who defines it is left open; tests/e2e/inputs.sh.
#include <stdio.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int();
extern unsigned int __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern __int128 __VERIFIER_nondet_int128(void);
extern unsigned __int128 __VERIFIER_nondet_uint128(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern unsigned long __VERIFIER_nondet_size_t(void);
extern void *__VERIFIER_nondet_pointer(void);
extern char *__VERIFIER_nondet_pchar(void);
extern unsigned char __VERIFIER_nondet_u8(void);
extern unsigned short __VERIFIER_nondet_u16(void);
extern unsigned int __VERIFIER_nondet_u32(void);
extern unsigned long long __VERIFIER_nondet_u64(void);
extern unsigned int __VERIFIER_nondet_unsigned(void);
extern long long __VERIFIER_nondet_loff_t(void);
extern unsigned long __VERIFIER_nondet_sector_t(void);
extern void __VERIFIER_nondet_memory(void *, unsigned long);

void reach_error(void)
{
	puts("reached");
	abort();
}

static int hits;
#define WANT(name, value)                                                                                              \
	do {                                                                                                           \
		if (__VERIFIER_nondet_##name() == (value))                                                             \
			hits++;                                                                                        \
	} while (0)

int main(void)
{
	unsigned char bytes[4] = {1, 2, 3, 4};
	int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
	__VERIFIER_assume(x >= 0 && x < 1000);
	__VERIFIER_assume(y < 7);
	if (x * x - 2 * y == 1764 && y == 6)
		reach_error();
	if (__VERIFIER_nondet_bool())
		hits++;
	WANT(char, 'c');
	WANT(schar, -5);
	WANT(uchar, 200);
	WANT(short, -300);
	WANT(ushort, 40000);
	WANT(uint, 4000000000u);
	WANT(long, -5000000000);
	WANT(ulong, 1ul << 63);
	WANT(longlong, -6);
	WANT(ulonglong, 7);
	WANT(int128, (__int128)1 << 100);
	WANT(uint128, (unsigned __int128)5 << 64);
	WANT(float, 1.5f);
	WANT(double, -2.25);
	WANT(size_t, 9);
	WANT(pointer, (void *)4096);
	WANT(pchar, (char *)8192);
	WANT(u8, 10);
	WANT(u16, 11);
	WANT(u32, 12);
	WANT(u64, 13);
	WANT(unsigned, 14);
	WANT(loff_t, 15);
	WANT(sector_t, 16);
	__VERIFIER_nondet_memory(bytes, sizeof bytes);
	if (bytes[3] == 99)
		hits++;
	printf("hits %d\n", hits);
	return 0;
}
