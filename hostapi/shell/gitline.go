package shell

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// A read-only command of git that a pattern granted, in a line or as an argv, runs as
// one of the tool git does: with a [gitFolder] in place of the repository's
// configuration. Other commands of the line are not affected: a test that makes a
// repository uses its own.

// placed refuses a read-only command of git if its repository is unknown.
func (s simple) placed() *unclear {
	if s.git == nil || !s.runs.lost || filepath.IsAbs(s.git.Folder) {
		return nil
	}
	return opaque(s.at, "git in a folder that depends on whether a cd before it succeeds; write cd DIR && git …, or give the call a cwd")
}

// readGit makes the read-only commands of git in a plan run without the repository's
// configuration.
func (t *Tool) readGit(p *linePlan, command *Command) (remove func(), err error) {
	temp, err := t.gitTemp(command)
	if err != nil {
		return nil, err
	}
	r := gitReader{temp: temp, where: command.Context, folders: map[string]*gitFolder{}}
	if p.list != nil {
		command.Line = p.list.rewritten(r.rewrite)
	} else {
		rewritten := r.rewrite(p.commands[0])
		command.Argv = rewritten.words
		command.Context = command.Context.with(rewritten.given)
	}
	if r.err != nil {
		r.remove()
		return nil, r.err
	}
	return r.remove, nil
}

// gitTemp is where folders for git are made; the command may read it then.
func (t *Tool) gitTemp(command *Command) (string, error) {
	local, ok := t.backend().(*Local)
	if !ok {
		return os.TempDir(), nil
	}
	temp, err := local.scratch()
	if err == nil {
		command.Sandbox.Read = append(slices.Clone(command.Sandbox.Read), temp)
	}
	return temp, err
}

// gitReader rewrites the git commands of one line.
type gitReader struct {
	temp    string
	where   ExecContext
	folders map[string]*gitFolder // by working folder
	err     error                 // the first
}

func (r *gitReader) remove() {
	for _, folder := range r.folders {
		folder.remove()
	}
}

func (r *gitReader) rewrite(s simple) simple {
	if s.git == nil || r.err != nil {
		return s
	}
	folder, err := r.folder(s.runs.dir, s.git.Folder)
	if err != nil {
		r.err = err
		return s
	}
	words := calm(s.git.Words)
	if s.git.Dashed {
		words = words[1:]
	} else {
		words = slices.Concat(steady, s.git.Own, words)
	}
	s.words = slices.Concat(s.words[:1], words)
	s.given = folder.settings(r.where)
	return s
}

// folder is the gitFolder for the repository that dirs lie in.
func (r *gitReader) folder(dirs ...string) (*gitFolder, error) {
	at := r.where.Cwd()
	for _, dir := range dirs {
		if filepath.IsAbs(dir) {
			at = dir
		} else if dir != "" {
			at += string(filepath.Separator) + dir // not cleaned: git resolves .. after links
		}
	}
	if made := r.folders[at]; made != nil {
		return made, nil
	}
	folder := &gitFolder{} // of no repository: git itself says so when it runs
	if resolved, err := filepath.EvalSymlinks(at); err == nil {
		repo, err := findGitRepo(resolved)
		if err == nil {
			folder, err = newGitFolder(r.temp, repo)
		}
		if err != nil && !errors.Is(err, errNoRepo) {
			return nil, err
		}
	}
	r.folders[at] = folder
	return folder, nil
}
