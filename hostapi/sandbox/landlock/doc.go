// Package landlock restricts what threads can open and connect to, with the kernel's Landlock.
package landlock
