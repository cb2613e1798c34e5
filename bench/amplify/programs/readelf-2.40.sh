. "$here/programs/readelf.inc"
package=binutils release=bookworm newest="sid trixie"
