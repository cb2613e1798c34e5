// atomicrmw and cmpxchg
#include <stdatomic.h>

#include "golden.h"

int main(void)
{
	INPUT(int, a, 6);
	_Atomic int x = 0;
	_Atomic unsigned char c = 1;
	atomic_store(&x, a);
	IF(atomic_load(&x) == 6);
	IF(atomic_fetch_add(&x, 2) == 6);
	IF(atomic_fetch_sub(&x, 1) == 8);
	IF(atomic_fetch_and(&x, 14) == 7);
	IF(atomic_fetch_or(&x, 1) == 6);
	IF(atomic_fetch_xor(&x, a) == 7);
	IF(x == 1);
	IF(__atomic_fetch_nand(&a, 3, __ATOMIC_SEQ_CST) == 6);
	IF(a == ~2);
	IF(__atomic_fetch_max(&a, 5, __ATOMIC_SEQ_CST) == ~2);
	IF(a == 5);
	IF(__atomic_fetch_min(&a, 4, __ATOMIC_SEQ_CST) == 5);
	IF(a == 4);
	INPUT(unsigned, u, 9);
	__atomic_fetch_max(&u, 5, __ATOMIC_SEQ_CST);
	IF(u == 9);
	__atomic_fetch_min(&u, 5, __ATOMIC_SEQ_CST);
	IF(u == 5);
	INPUT(unsigned char, n, 7);
	IF(atomic_exchange(&c, n) == 1);
	IF(c == 7);
	unsigned char expected = 7;
	IF(atomic_compare_exchange_strong(&c, &expected, 8));
	IF(c == 8);
	c = n;
	expected = 9;
	IF(atomic_compare_exchange_strong(&c, &expected, 8));
	IF(expected == 7);
	IF(c == 7);
	c += 2;
	IF(c == 9);
	return 0;
}
