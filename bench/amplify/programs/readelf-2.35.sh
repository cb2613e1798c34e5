. "$here/programs/readelf.inc"
package=binutils release=bullseye newest="sid trixie"
