. "$here/programs/coreutils.inc"
package=coreutils release=bookworm newest="sid trixie"
