; the predicates of fcmp that C has no operator for
@x = global double 2.5
@name = constant [2 x i8] c"x\00"
@out = global i32 0
declare extern_weak void @veer_make_symbolic(ptr, i64, ptr)

define void @oeq(double %x) noinline {
  %c = fcmp oeq double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ogt(double %x) noinline {
  %c = fcmp ogt double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @oge(double %x) noinline {
  %c = fcmp oge double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @olt(double %x) noinline {
  %c = fcmp olt double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ole(double %x) noinline {
  %c = fcmp ole double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @one(double %x) noinline {
  %c = fcmp one double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ord(double %x) noinline {
  %c = fcmp ord double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ueq(double %x) noinline {
  %c = fcmp ueq double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ugt(double %x) noinline {
  %c = fcmp ugt double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @uge(double %x) noinline {
  %c = fcmp uge double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ult(double %x) noinline {
  %c = fcmp ult double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @ule(double %x) noinline {
  %c = fcmp ule double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @une(double %x) noinline {
  %c = fcmp une double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define void @uno(double %x) noinline {
  %c = fcmp uno double %x, 1.0
  %s = select i1 %c, i32 1, i32 2
  store volatile i32 %s, ptr @out
  ret void
}
define i32 @main() {
  call void @veer_make_symbolic(ptr @x, i64 8, ptr @name)
  %x = load double, ptr @x
  call void @oeq(double %x)
  call void @ogt(double %x)
  call void @oge(double %x)
  call void @olt(double %x)
  call void @ole(double %x)
  call void @one(double %x)
  call void @ord(double %x)
  call void @ueq(double %x)
  call void @ugt(double %x)
  call void @uge(double %x)
  call void @ult(double %x)
  call void @ule(double %x)
  call void @une(double %x)
  call void @uno(double %x)
  ret i32 0
}
