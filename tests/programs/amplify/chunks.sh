set -e
printf 'x\003abct\004Nameb\002xyd\020................' >chunks.in
test "$(./chunks chunks.in)" = "x: 3 bytes
title of 4 bytes: Name
b: 2 bytes
d: 16 bytes"
printf '' >empty.in
test -z "$(./chunks empty.in)"
! ./chunks 2>usage
grep -q usage usage
