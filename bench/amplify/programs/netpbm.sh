package=netpbm-free release=bookworm newest="sid trixie" program=pgmtexture
leave_out='*/test/* */doc/HISTORY-* */userguide/*'
build() {
	mkdir -p inc/netpbm objects
	cp lib/*.h lib/util/*.h inc/netpbm
	{
		printf '#ifndef PM_CONFIG_H\n#define PM_CONFIG_H\n#include <inttypes.h>\n#include <endian.h>\n#define HAVE_INT64 1\n#define BITS_PER_LONG 64\n'
		cat pm_config.in.h
		printf '#define RGB_DB_PATH "/nowhere"\n#define HAVE_SETMODE 0\n#endif\n'
	} >inc/netpbm/pm_config.h
	cp inc/netpbm/pm_config.h inc
	printf '#define NETPBM_VERSION "0"\n' >inc/netpbm/version.h
	printf '#define COMPILE_TIME ""\n#define COMPILED_BY ""\n' >inc/compile.h
	flags="$CFLAGS -D_GNU_SOURCE -DNDEBUG -DLIBNETPBM_PM_GAMMA -Iinc -Iinc/netpbm"
	for each in lib/*.c lib/util/*.c; do
		case $each in *dummy.c | *fontdump.c | *testnstring.c | */rand.c | */randsys*.c) continue ;; esac
		$CC $flags -Ilib -Ilib/util -c $each -o objects/$(basename $each .c).o
	done
	$CC $flags -Ilib -Ilib/util -c lib/util/rand.c -o objects/rand.o
	for each in randsysrand randsysrandom; do
		if [ -f lib/util/$each.c ]; then $CC $flags -Ilib -Ilib/util -c lib/util/$each.c -o objects/$each.o; fi
	done
	for each in pgmtexture pgmhist ppmhist pnmpsnr pamsumm pamtilt pgmminkowski pamsharpness giftopnm bmptopnm pcxtoppm xpmtoppm \
		tgatoppm sgitopnm palmtopnm winicontopam ilbmtoppm picttoppm pi1toppm sputoppm spctoppm ppmtowinicon pnmtopalm ppmtopcx ppmtobmp \
		ppmtoxpm pamtogif pamtotga pamtopnm pnmtosgi pbmtoxbm xbmtopbm pbmtog3 g3topbm macptopbm mgrtopbm atktopbm escp2topbm \
		pjtoppm fitstopnm pamtofits rasttopnm pnmtorast asciitopgm lispmtopgm hipstopgm leaftoppm gouldtoppm mtvtoppm qrttoppm sldtoppm \
		xwdtopnm zeisstopnm pamsistoaglyph ppmtoilbm pamcut pamflip pamscale pnmcrop pnmpad pnmsmooth pammixmulti ppmdither pgmbentley; do
		source=$(find analyzer converter editor generator other -name $each.c | head -1)
		if [ -n "$source" ]; then
			$CC $flags -I$(dirname $source) -o $each $source objects/*.o -lm || echo "$each was not built"
		fi
	done
	test -x pgmtexture
}
alone='pgmtexture A --sym-files 1 40; giftopnm A --sym-files 1 60; pcxtoppm A --sym-files 1 140'
