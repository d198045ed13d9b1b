/** The ways out of a sandbox on Linux, as a shell script that tries them. */

/** The capabilities that root has in the sandbox: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE, SETFCAP: power over files and its own processes. */
export const CAPABILITIES_ALLOWED = 0x8000_04fbn;
/**
 * Prints a line for each way that is open, and `tried` at its end. Files are opened for appending, and nothing is written. Its arguments: a
 * new name, then the secrets and their copies.
 */
export const ESCAPE_ATTEMPT = `name=$1; shift
opens() { (: >> "$1") 2>/dev/null && echo "$2 ($1)"; }
for f in core_pattern modprobe hostname; do opens /proc/sys/kernel/$f "a setting of the kernel"; done
opens /proc/sysrq-trigger "a setting of the kernel"; opens /sys/power/state "a setting of the kernel"
find /dev -type b 2>/dev/null | head -n 1 | sed 's/.*/a disk (&)/'
ls /dev/pts 2>/dev/null | grep -m 1 '^[0-9]' | sed 's:.*:a terminal (/dev/pts/&):'
(: > /dev/tty) 2>/dev/null && echo "a terminal (/dev/tty)"
(echo left > "/dev/shm/$name") 2>/dev/null
grep CapEff /proc/self/status
if [ -d .git ]; then opens .git/config "git's settings"; (: > ".git/hooks/$name") 2>/dev/null && echo "git's hooks (.git/hooks)"; fi
for copy; do (head -c 1 "$copy" | grep -q .) 2>/dev/null && echo "a copy of a secret ($copy)"; done
echo tried`;
