// How a run goes into its view of the file system (run/sandbox.h), from the runtime of a fork server's child and
// from veer alike.
#ifndef VEER_ABI_VIEW_H
#define VEER_ABI_VIEW_H

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Without the right to change the view there is no way back. What else the sandbox left (root's rights on files, for
// root) stays, in programs that the run executes, too: a right that is not permitted any more is no longer ambient.
static inline int view_give_up_rights(void)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];
	const uint32_t keep = ~(1u << CAP_SYS_CHROOT);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_capget, &header, data) < 0)
		return errno;
	data[0].effective &= keep;
	data[0].permitted &= keep;
	data[0].inheritable &= keep;
	return syscall(SYS_capset, &header, data) < 0 ? errno : 0;
}

// root: "" or NULL for the one there is; cwd likewise. Returns 0, or an errno.
static inline int view_enter(const char *root, const char *cwd)
{
	if (root && root[0]) {
		if (chroot(root) < 0 || chdir("/") < 0)
			return errno;
		int r = view_give_up_rights();
		if (r)
			return r;
	}
	return cwd && cwd[0] && chdir(cwd) < 0 ? errno : 0;
}

#endif
