# Small object files for tests of programs that read ELF and DWARF. Sourced in the folder to make them in.
cat >one.c <<'END'
struct pair { int a; char b[3]; };
int sum(struct pair *p) { return p->a + p->b[1]; }
END
cat >two.c <<'END'
enum e { A, B };
static inline int twice(int x) { return 2 * x; }
int global = 3;
int main(int argc, char **argv) { for (int i = 0; i < 2; i++) argc += twice(i); return argc + global + B; }
END
echo 'int variable;' >three.c
cc -gdwarf-4 -O0 -c one.c -o one4.o
cc -gdwarf-5 -O0 -c one.c -o one5.o
cc -gdwarf-2 -gstrict-dwarf -O2 -c two.c -o two2.o
cc -gdwarf-4 -O2 -ffunction-sections -c two.c -o two4.o
cc -gdwarf-5 -O1 -c three.c -o three5.o
cc -gdwarf-3 -c three.c -o three3.o
cc -g0 -c one.c -o plain.o
rm one.c two.c three.c
