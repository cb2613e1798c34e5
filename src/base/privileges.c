#include "base/privileges.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

// What root may do to files stays, so that programs behave as they do for root.
static uint64_t capabilities(void)
{
	static const int files[] = {CAP_CHOWN,  CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,
	                            CAP_FSETID, CAP_SETGID,       CAP_SETUID};
	uint64_t set = 0;
	for (size_t i = 0; geteuid() == 0 && i < COUNT(files); i++)
		set |= UINT64_C(1) << files[i];
	return set;
}

static int set_capabilities(uint64_t set, uint64_t inheritable)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2], *low = &data[0], *high = &data[1];
	low->effective = low->permitted = (uint32_t)set;
	high->effective = high->permitted = (uint32_t)(set >> 32);
	low->inheritable = (uint32_t)inheritable;
	high->inheritable = (uint32_t)(inheritable >> 32);
	return (int)syscall(SYS_capset, &head, data);
}

static uint64_t own_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};
	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

// Root gets nothing by executing a program: what is kept is kept by way of the ambient set.
int privileges_drop(uint64_t also)
{
	uint64_t own = own_capabilities(), keep = (capabilities() | also) & own;
	const uint64_t set_caps = UINT64_C(1) << CAP_SETPCAP;
	bool may = own & set_caps;
	for (int i = 0; may && prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++)
		if (!(keep >> i & 1) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0)
			return -1;
	if (may && set_capabilities(keep | set_caps, keep) < 0)
		return -1;
	for (int i = 0; may && i < 64; i++)
		if (keep >> i & 1 && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0) < 0)
			return -1;
	if (may && prctl(PR_SET_SECUREBITS,
	                 SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE |
	                         SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
	                 0, 0, 0) < 0)
		return -1;
	return set_capabilities(keep, keep);
}
