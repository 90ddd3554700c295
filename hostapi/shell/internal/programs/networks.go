package programs

import "strings"

// networks are programs that talk to other machines.
func networks() []program {
	return []program{
		{names: "curl", says: "http and https addresses, headers and data that are given in the line", grammar: grammar{
			covered: "-s -S -f -L -i -I -v -G -g -4 -6 -N -A= -H= -X= -m= -d= -e= --silent --show-error --fail --fail-with-body --location --include --head --verbose --get --globoff --ipv4 --ipv6 --no-buffer --user-agent= --header= " +
				"--request= --max-time= --connect-timeout= --data= --data-raw= --data-urlencode= --json= --compressed --retry= --retry-delay= --max-redirs= --http1.1 --http2 --referer= --no-progress-meter",
			refused: []refusal{
				{"-o= --output= -O --remote-name -J --remote-header-name --remote-name-all --output-dir= --create-dirs -D= --dump-header= -c= --cookie-jar= --trace= --trace-ascii= --stderr= --libcurl= --etag-save= --hsts= --alt-svc=", "writes a file"},
				{"-K= --config= -T= --upload-file= -F= --form= --data-binary= --data-ascii= -b= --cookie= -n --netrc --netrc-file= --etag-compare= -u= --user=", "reads a file"},
				{"-w= --write-out=", "can read and write a file"},
				{"--engine= --crlfile= -E= --cert= --key= --cacert= --capath=", "loads code or keys"},
				{"-x= --proxy= --preproxy= --socks5= --resolve= --connect-to= --unix-socket= --abstract-unix-socket= --interface= --proto= --proto-default= -k --insecure -Z --parallel --url=", "goes another way"},
			},
			values: func(option, value string) string {
				if strings.HasPrefix(value, "@") || option == "--data-urlencode" && strings.Contains(value, "@") {
					return "a value with @ reads a file"
				}
				return ""
			},
			operands: func(l *line) {
				for _, at := range l.operands {
					w := strings.ToLower(l.words[at])
					if !strings.HasPrefix(w, "https://") && !strings.HasPrefix(w, "http://") || strings.ContainsAny(w, "{}[]") {
						l.guard(at, "curl "+l.words[at]+" is not plainly an http or https address")
					}
				}
			},
		}},
		{names: "wget wget2 aria2c axel", says: "nothing: they write files", grammar: grammar{operands: everything("it writes what it gets to files that the server names")}},
		{names: "rsync", says: "folders of this machine, options that choose", grammar: grammar{
			covered: "-a -r -v -n -z -t -l -u -c -h -i -q -x -H --archive --recursive --verbose --dry-run --compress --times --links --update --checksum --human-readable --itemize-changes --stats --progress --exclude= --include= --size-only --existing --ignore-existing --max-size= --min-size= --quiet",
			refused: []refusal{{"-e= --rsh= --rsync-path= --daemon --config= --early-exec= -M= --remote-option= --server --sender --dparam=", "runs a program"},
				{"-f= --filter= -F --files-from= --exclude-from= --include-from= --password-file= --read-batch=", "reads a file of rules"},
				{"--write-batch= --only-write-batch= --log-file= --backup-dir= --temp-dir= -T= --partial-dir= --link-dest= --copy-dest= --compare-dest= -b --backup", "uses other folders"},
				{"--delete --del --delete-before --delete-during --delete-after --delete-excluded --remove-source-files --inplace --force", "removes files"}},
			operands: func(l *line) {
				inside(l)
				for _, at := range l.operands {
					if strings.Contains(l.words[at], ":") {
						l.guard(at, "rsync "+l.words[at]+" can be on another machine")
					}
				}
			},
		}},
		{names: "scp sftp ftp telnet nc ncat netcat socat rsh rexec rclone lftp", says: "nothing: they run programs, here or elsewhere", grammar: grammar{operands: everything("it runs programs, here or on another machine")}},
		{names: "openssl", says: "version and dgst with the name of a digest; files", rest: "can write files and load code", commands: []command{
			{names: "version", grammar: grammar{style: single, covered: "-a -v"}},
			{names: "dgst", grammar: grammar{style: single, covered: "-sha1 -sha224 -sha256 -sha384 -sha512 -md5 -hex -r -c", refused: []refusal{{"-out=", "writes a file"},
				{"-engine= -engine_impl= -provider= -provider-path= -sign= -verify= -prverify= -signature= -passin= -rand= -writerand=", "loads code or keys"}}}},
		}},
	}
}
