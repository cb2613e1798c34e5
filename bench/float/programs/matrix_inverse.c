// Inverts a 4 by 4 matrix by elimination with pivots.
#include <math.h>
#include <stdio.h>
#include <veer.h>

enum { N = 4 };

static int invert(double m[N][N], double r[N][N])
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			r[i][j] = i == j;
	for (int c = 0; c < N; c++) {
		int p = c;
		for (int i = c + 1; i < N; i++)
			if (fabs(m[i][c]) > fabs(m[p][c]))
				p = i;
		if (fabs(m[p][c]) < 1e-9)
			return 0;
		for (int j = 0; j < N && p != c; j++) {
			double t = m[p][j], u = r[p][j];
			m[p][j] = m[c][j];
			m[c][j] = t;
			r[p][j] = r[c][j];
			r[c][j] = u;
		}
		double d = m[c][c];
		for (int j = 0; j < N; j++) {
			m[c][j] /= d;
			r[c][j] /= d;
		}
		for (int i = 0; i < N; i++) {
			double f = m[i][c];
			for (int j = 0; i != c && j < N; j++) {
				m[i][j] -= f * m[c][j];
				r[i][j] -= f * r[c][j];
			}
		}
	}
	return 1;
}

int main(void)
{
	double m[N][N] = {{2, 0, 0, 1}, {0, 3, 1, 0}, {1, 0, 4, 0}, {0, 1, 0, 5}}, r[N][N];
	double x[4];
	veer_make_symbolic(x, sizeof x, "x");
	for (int i = 0; i < N; i++)
		m[i][i] = x[i];
	if (!invert(m, r)) {
		puts("singular");
		return 1;
	}
	if (r[0][0] > 10)
		puts("large");
	if (r[1][1] < 0)
		puts("negative");
	return 0;
}
