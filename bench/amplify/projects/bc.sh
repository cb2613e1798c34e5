package=bc
build() { ./configure -q CC="$CC" CFLAGS="$CFLAGS -Wno-error=implicit-function-declaration" && make -s -j2 MAKEINFO=true; }
check='for f in Test/*.b; do bc/bc -l "$f" </dev/null >/dev/null || exit; done'
