#include "worker/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum { MESSAGE_MAX = 1 << 28 };

// --- the socket ----------------------------------------------------------------------------------------

static int send_all(int fd, const struct buf *b, struct err *err)
{
	uint32_t size = (uint32_t)b->len;
	struct buf whole = {0};
	buf_u32(&whole, size);
	buf_add(&whole, b->data, b->len);
	size_t sent = 0;
	for (ssize_t n; sent < whole.len; sent += (size_t)n)
		if ((n = send(fd, whole.data + sent, whole.len - sent, MSG_NOSIGNAL)) <= 0) {
			if (n < 0 && errno == EINTR) {
				n = 0;
				continue;
			}
			break;
		}
	bool all = sent == whole.len;
	buf_release(&whole);
	return all ? 0 : err_errno(err, "cannot talk to a worker");
}

// Returns 1 at the end of the stream.
static int receive(int fd, void *to, size_t size)
{
	for (size_t got = 0; got < size;) {
		ssize_t n = recv(fd, (char *)to + got, size - got, 0);
		if (n == 0)
			return 1;
		if (n < 0 && errno != EINTR)
			return -1;
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int receive_all(int fd, struct buf *ret, struct err *err)
{
	uint32_t size;
	int r = receive(fd, &size, sizeof size);
	if (r != 0)
		return r < 0 ? err_errno(err, "a worker is gone") : 1;
	if (size > MESSAGE_MAX)
		return err_set(err, "a worker sent a malformed message");
	buf_reserve(ret, size + 1);
	if (receive(fd, ret->data, size) != 0)
		return err_set(err, "a worker is gone");
	ret->len = size;
	return 0;
}

// --- tables ---------------------------------------------------------------------------------------

#define FIELD MESSAGE_ROW
#define MESSAGE alternative
#define WIRE_ALTERNATIVE
static const struct message_field alternative_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_ALTERNATIVE
#undef MESSAGE
static const struct message_table alternative_table = MESSAGE_TABLE(alternative, alternative_fields);

#define MESSAGE job_alternative
#define WIRE_JOB_ALTERNATIVE
static const struct message_field job_alternative_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_JOB_ALTERNATIVE
#undef MESSAGE
static const struct message_table job_alternative_table = MESSAGE_TABLE(job_alternative, job_alternative_fields);

#define MESSAGE job
#define WIRE_JOB
static const struct message_field job_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_JOB
#undef MESSAGE
const struct message_table job_table = MESSAGE_TABLE(job, job_fields);

#define MESSAGE run_result
#define WIRE_RUN_RESULT
static const struct message_field run_result_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RUN_RESULT
#undef MESSAGE
static const struct message_table run_result_table = MESSAGE_TABLE(run_result, run_result_fields);

#define MESSAGE decision_segments
#define WIRE_DECISION_SEGMENTS
static const struct message_field decision_segments_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_DECISION_SEGMENTS
#undef MESSAGE
static const struct message_table decision_segments_table = MESSAGE_TABLE(decision_segments, decision_segments_fields);

#define MESSAGE decision
#define WIRE_DECISION
static const struct message_field decision_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_DECISION
#undef MESSAGE
static const struct message_table decision_table = MESSAGE_TABLE(decision, decision_fields);

#define MESSAGE reported
#define WIRE_REPORTED
static const struct message_field reported_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_REPORTED
#undef MESSAGE
static const struct message_table reported_table = MESSAGE_TABLE(reported, reported_fields);

#define MESSAGE result_answer
#define WIRE_RESULT_ANSWER
static const struct message_field result_answer_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT_ANSWER
#undef MESSAGE
static const struct message_table result_answer_table = MESSAGE_TABLE(result_answer, result_answer_fields);

#define MESSAGE result_cover
#define WIRE_RESULT_COVER
static const struct message_field result_cover_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT_COVER
#undef MESSAGE
static const struct message_table result_cover_table = MESSAGE_TABLE(result_cover, result_cover_fields);

#define MESSAGE verdict
#define WIRE_VERDICT
static const struct message_field verdict_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_VERDICT
#undef MESSAGE
static const struct message_table verdict_table = MESSAGE_TABLE(verdict, verdict_fields);

#define MESSAGE result_verdict
#define WIRE_RESULT_VERDICT
static const struct message_field result_verdict_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT_VERDICT
#undef MESSAGE
static const struct message_table result_verdict_table = MESSAGE_TABLE(result_verdict, result_verdict_fields);

#define MESSAGE result_name
#define WIRE_RESULT_NAME
static const struct message_field result_name_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT_NAME
#undef MESSAGE
static const struct message_table result_name_table = MESSAGE_TABLE(result_name, result_name_fields);

#define MESSAGE result_read
#define WIRE_RESULT_READ
static const struct message_field result_read_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT_READ
#undef MESSAGE
static const struct message_table result_read_table = MESSAGE_TABLE(result_read, result_read_fields);

#define MESSAGE result_mutant
#define WIRE_RESULT_MUTANT
static const struct message_field result_mutant_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT_MUTANT
#undef MESSAGE
static const struct message_table result_mutant_table = MESSAGE_TABLE(result_mutant, result_mutant_fields);

#define MESSAGE result
#define WIRE_RESULT
static const struct message_field result_fields[] = {
#include "worker/wire.def"
};
#undef WIRE_RESULT
#undef MESSAGE
const struct message_table result_table = MESSAGE_TABLE(result, result_fields);

#undef FIELD

// --- jobs -----------------------------------------------------------------------------------------

void job_release(struct job *j)
{
	message_release(&job_table, j);
}

static int send_message(int fd, const struct message_table *t, const void *message, struct err *err)
{
	struct buf b = {0};
	message_encode(t, message, &b);
	int r = send_all(fd, &b, err);
	buf_release(&b);
	return r;
}

// Fills *ret, which is zeroed unless it returns 0. 1: the other side has closed. `check`: what the table does not say
// of a message; NULL: nothing. `malformed`: what to report when the message is refused.
static int receive_message(int fd, const struct message_table *t, void *ret, bool (*check)(const void *message),
                           const char *malformed, struct err *err)
{
	struct buf b = {0};
	memset(ret, 0, t->size);
	int r = receive_all(fd, &b, err);
	if (r == 0) {
		struct cursor c = {.p = (const uint8_t *)b.data, .end = (const uint8_t *)b.data + b.len};
		message_decode(t, ret, &c);
		if (c.bad || c.p != c.end || (check && !check(ret))) {
			message_release(t, ret);
			r = err_set(err, "%s", malformed);
		}
	}
	buf_release(&b);
	return r;
}

int job_send(int fd, const struct job *j, struct err *err)
{
	return send_message(fd, &job_table, j, err);
}

int job_receive(int fd, struct job *ret, struct err *err)
{
	return receive_message(fd, &job_table, ret, NULL, "the coordinator sent a malformed job", err);
}

// --- results --------------------------------------------------------------------------------------

void result_release(struct result *r)
{
	message_release(&result_table, r);
}

// Decisions name their alternatives by where these are.
static bool has_alternatives(const void *message)
{
	const struct result *r = message;
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		if ((uint64_t)d->first + d->alternatives > r->n_alternatives)
			return false;
	}
	return true;
}

int result_send(int fd, const struct result *r, struct err *err)
{
	return send_message(fd, &result_table, r, err);
}

int result_receive(int fd, struct result *ret, struct err *err)
{
	int r = receive_message(fd, &result_table, ret, has_alternatives, "a worker sent a malformed message", err);
	return r == 1 ? err_set(err, "a worker is gone") : r;
}
