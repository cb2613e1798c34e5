; calls by pointer that say that nothing is written: labels come back through memory all the same
@x = global i32 5
@name = constant [2 x i8] c"x\00"
@reads = global ptr @next
@none = global ptr @half
declare extern_weak void @veer_make_symbolic(ptr, i64, ptr)

define i32 @next(ptr %p) noinline {
  %v = load i32, ptr %p
  %r = add i32 %v, 1
  ret i32 %r
}
define i32 @half(i32 %v) noinline {
  %r = lshr i32 %v, 1
  ret i32 %r
}

define i32 @main() {
  call void @veer_make_symbolic(ptr @x, i64 4, ptr @name)
  %f = load volatile ptr, ptr @reads
  %g = load volatile ptr, ptr @none
  %a = call i32 %f(ptr @x) nounwind willreturn memory(read)
  %b = call i32 %g(i32 %a) nounwind willreturn memory(none)
  %c = call i32 %g(i32 %b) nounwind willreturn memory(none)
  %c1 = icmp eq i32 %a, 6
  br i1 %c1, label %one, label %end
one:
  %c2 = icmp eq i32 %b, 3
  br i1 %c2, label %two, label %end
two:
  %c3 = icmp eq i32 %c, 1
  br i1 %c3, label %end, label %end2
end:
  ret i32 0
end2:
  ret i32 1
}
