. "$here/programs/coreutils.inc"
package=coreutils release=bullseye newest="sid trixie"
