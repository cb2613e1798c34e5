package=cjson
build() { cmake -S . -B b -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$CFLAGS" -DENABLE_CUSTOM_COMPILER_FLAGS=OFF -DBUILD_SHARED_LIBS=OFF -DENABLE_CJSON_UTILS=ON >/dev/null && make -s -j2 -C b; }
check='make -s -C b test'
