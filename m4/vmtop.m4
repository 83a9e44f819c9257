dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl The few macros configure.ac needs, so that autoconf-archive is not.

dnl VMTOP_LINKS(FLAGS, IF-YES, IF-NO): does an empty program compile and link without a word?
AC_DEFUN([VMTOP_LINKS], [
	vmtop_save_CFLAGS=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[int main(void) { return 0; }]])],
		[vmtop_links=yes], [vmtop_links=no])
	CFLAGS=$vmtop_save_CFLAGS
	AS_IF([test "x$vmtop_links" = xyes], [m4_default([$2], [:])], [m4_default([$3], [:])])
])

dnl VMTOP_WARNING(FLAG): appends FLAG to WARN_CFLAGS when the compiler knows it.
AC_DEFUN([VMTOP_WARNING], [
	AC_CACHE_CHECK([whether $CC knows $1], [AS_TR_SH([vmtop_cv_cflag_$1])],
		[VMTOP_LINKS([$1], [AS_TR_SH([vmtop_cv_cflag_$1])=yes], [AS_TR_SH([vmtop_cv_cflag_$1])=no])])
	AS_IF([test "x$AS_TR_SH([vmtop_cv_cflag_$1])" = xyes], [WARN_CFLAGS="$WARN_CFLAGS $1"])
])

dnl VMTOP_OPTIONAL_LIBRARY(NAME, VARIABLE, MODULES, DEBIAN-PACKAGES)
dnl Adds --without-NAME. Sets have_NAME (yes or no) and pkg_NAME, defines HAVE_VARIABLE, substitutes
dnl VARIABLE_CFLAGS and VARIABLE_LIBS. An explicit --with-NAME makes a missing library an error.
AC_DEFUN([VMTOP_OPTIONAL_LIBRARY], [
	AC_ARG_WITH([$1], [AS_HELP_STRING([--without-$1], [do not use $1 even when it is there])],
		[], [with_$1=auto])
	have_$1=no
	pkg_$1="$4"
	AS_IF([test "x$with_$1" != xno], [
		PKG_CHECK_MODULES([$2], [$3], [have_$1=yes], [have_$1=no])
	])
	AS_IF([test "x$with_$1$have_$1" = xyesno],
		[AC_MSG_ERROR([--with-$1 was given, but pkg-config does not find: $3 (Debian: $4)])])
	AS_IF([test "x$have_$1" = xyes],
		[AC_DEFINE([HAVE_$2], [1], [Define to 1 when $1 is there.])])
])
