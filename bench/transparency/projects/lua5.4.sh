# Lua: Debian's libtool build. Upstream keeps its test suite in another archive,
# so the tests are those of three C modules, built with the compiler under test
# and loaded by the Lua built here, and luac on the modules of Penlight.
sources="lua5.4 lua-lpeg lua-cjson lua-filesystem"
needs="autoconf automake libtool libreadline-dev lua-penlight"
code=src

# As debian/rules does: a libtool for this compiler, and one header.
configure() {
    echo "#define DEB_HOST_MULTIARCH \"$(dpkg-architecture -qDEB_HOST_MULTIARCH)\"" \
        >src/lua5.4-deb-multiarch.h
    mkdir debian/libtool && cd debian/libtool && cp ../configure.ac . &&
        autoreconf -f -i && ./configure
}

# Not in parallel: one rule of the makefile makes both libraries, twice then.
build() {
    make -C src linux-readline V=5.4 CC="$CC -std=gnu99" CXX="$CXX" \
        LIBTOOL="$PWD/debian/libtool/libtool" &&
        make -C ../lua-lpeg linux CC="$CC" LUADIR="$PWD/src" &&
        make -C ../lua-cjson CC="$CC" LUA_INCLUDE_DIR="$PWD/src" &&
        make -C ../lua-filesystem lib CC="$CC" LUA_INC="-I$PWD/src"
}

check_suite() {
    lua=$PWD/src/lua5.4
    modules=$(cd .. && pwd)
    LUA_PATH="$modules/lua-lpeg/?.lua;$modules/lua-cjson/lua/?.lua;/usr/share/lua/5.4/?.lua;/usr/share/lua/5.4/?/init.lua;;"
    LUA_CPATH="$modules/lua-lpeg/?.so;$modules/lua-cjson/?.so;$modules/lua-filesystem/src/?.so"
    export LUA_PATH LUA_CPATH
    in_folder lua-cjson/tests perl genutf8.pl
    check "lpeg test.lua" in_folder lua-lpeg "$lua" test.lua
    check "cjson test.lua" in_folder lua-cjson/tests "$lua" test.lua
    check "filesystem test.lua" in_folder lua-filesystem/tests "$lua" test.lua
    for module in /usr/share/lua/5.4/pl/*.lua; do
        name=pl.$(basename "$module" .lua)
        observe "luac -l $name" listing "$module"
        check "require $name" "$lua" -e "require '$name'"
    done
}

in_folder() { (cd "../$1" && shift && "$@"); }

# luac prints addresses: leave them out.
listing() { src/luac5.4 -l -p "$1" | sed 's/0x[0-9a-f]*/ADDRESS/g'; }

results() { results_checks; sed -n 's/^==> Test \[[0-9]*\] \(.*\): \(PASS\|FAIL\)$/\2 cjson: \1/p' "$LOG"; }

programs() { elf_programs src; }
