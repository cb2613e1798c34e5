// Converts a length or a temperature: "3.5 ft", "100 F".
#include <stdio.h>
#include <string.h>

int main(void)
{
	static const struct {
		const char *name;
		double factor;
	} units[] = {{"m", 1}, {"km", 1000}, {"ft", 0.3048}, {"in", 0.0254}, {"mi", 1609.344}};
	char text[32], unit[8];
	double x;
	if (!fgets(text, sizeof text, stdin) || sscanf(text, "%lf %7s", &x, unit) != 2)
		return 1;
	if (strcmp(unit, "F") == 0) {
		double c = (x - 32) / 1.8;
		puts(c < -273.15 ? "too cold" : c == 100 ? "boils" : c < 0 ? "freezes" : "liquid");
		return 0;
	}
	for (unsigned i = 0; i < 5; i++)
		if (strcmp(unit, units[i].name) == 0) {
			double metres = x * units[i].factor;
			if (metres < 0)
				puts("negative");
			else if (metres > 299792458)
				puts("more than a light second");
			else if (metres > 1.8 && metres < 1.9)
				puts("as tall as a man");
			return 0;
		}
	return 2;
}
