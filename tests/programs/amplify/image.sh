# pipelines, as users make images: a header from printf
set -eu
run() { printf "$1" | ./image; }
[ "$(run 'IM\002\000\002\000\001\001')" = "2x2 1 1, 30784" ]
[ "$(run 'IM\001\000\003\000\000\002' | cut -d' ' -f1)" = 1x3 ]
[ "$(run 'IM\000\001\020\000\007\001' | cut -d, -f1)" = "256x16 7 7" ]
[ "$(run 'PN\002\000\002\000\001\001' 2>&1 || true)" = "image: not an image" ]
[ "$(run 'IM\000\000\002\000\001\001' 2>&1 || true)" = "image: empty" ]
