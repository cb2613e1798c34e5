; freeze, funnel shifts, and odd widths that C does not write
@x = global i64 81985529216486895
@name = constant [2 x i8] c"x\00"
@out = global i32 0
declare extern_weak void @veer_make_symbolic(ptr, i64, ptr)
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i32 @llvm.fshr.i32(i32, i32, i32)
declare i37 @llvm.fshl.i37(i37, i37, i37)
declare i48 @llvm.bswap.i48(i48)
declare i128 @llvm.bswap.i128(i128)
declare i13 @llvm.bitreverse.i13(i13)
declare i13 @llvm.uadd.sat.i13(i13, i13)
declare i13 @llvm.ssub.sat.i13(i13, i13)
declare i16 @llvm.ctlz.i16(i16, i1)
declare i13 @llvm.ctpop.i13(i13)

define void @freeze(i64 %x) noinline {
  %y = freeze i64 %x
  %c = icmp ult i64 %y, 9
  br label %next
next:
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @fshl(i64 %x) noinline {
  %y = call i64 @llvm.fshl.i64(i64 %x, i64 -1, i64 12)
  %c = icmp ugt i64 %y, 9
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @fshr(i32 %x) noinline {
  %y = call i32 @llvm.fshr.i32(i32 1, i32 %x, i32 %x)
  %c = icmp eq i32 %y, 9
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @fshl37(i37 %x) noinline {
  %y = call i37 @llvm.fshl.i37(i37 %x, i37 %x, i37 40)
  %c = icmp eq i37 %y, 9
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @bswap48(i48 %x) noinline {
  %y = call i48 @llvm.bswap.i48(i48 %x)
  %c = icmp eq i48 %y, 9
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @bswap128(i64 %x) noinline {
  %w = zext i64 %x to i128
  %y = call i128 @llvm.bswap.i128(i128 %w)
  %c = icmp ugt i128 %y, 9
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @reverse13(i13 %x) noinline {
  %y = call i13 @llvm.bitreverse.i13(i13 %x)
  %c = icmp eq i13 %y, 9
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @uadd13(i13 %x) noinline {
  %y = call i13 @llvm.uadd.sat.i13(i13 %x, i13 8000)
  %c = icmp eq i13 %y, 8191
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ssub13(i13 %x) noinline {
  %y = call i13 @llvm.ssub.sat.i13(i13 %x, i13 4000)
  %c = icmp eq i13 %y, -1
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @clz16(i16 %x) noinline {
  %y = call i16 @llvm.ctlz.i16(i16 %x, i1 false)
  %c = icmp eq i16 %y, 0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @popcount13(i13 %x) noinline {
  %y = call i13 @llvm.ctpop.i13(i13 %x)
  %c = icmp eq i13 %y, 10
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define i32 @main() {
  call void @veer_make_symbolic(ptr @x, i64 8, ptr @name)
  %x = load i64, ptr @x
  %x48 = trunc i64 %x to i48
  %x37 = trunc i64 %x to i37
  %x32 = trunc i64 %x to i32
  %x16 = trunc i64 %x to i16
  %x13 = trunc i64 %x to i13
  call void @freeze(i64 %x)
  call void @fshl(i64 %x)
  call void @fshr(i32 %x32)
  call void @fshl37(i37 %x37)
  call void @bswap48(i48 %x48)
  call void @bswap128(i64 %x)
  call void @reverse13(i13 %x13)
  call void @uadd13(i13 %x13)
  call void @ssub13(i13 %x13)
  call void @clz16(i16 %x16)
  call void @popcount13(i13 %x13)
  ret i32 0
}
