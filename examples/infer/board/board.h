#ifndef BOARD_H
#define BOARD_H
long board_call(long operation, void *block); // semihosting
void board_flush(void);
#endif
