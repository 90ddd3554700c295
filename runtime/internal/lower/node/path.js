// Paths as POSIX has them. A script has no current folder, so that what depends on one is an error.
"use strict";
const text = (value, name) => {
	if (typeof value !== "string") throw new TypeError(`The "${name}" argument must be of type string`);
	return value;
};

// parts resolves . and .. of a path. Above where it begins an absolute path ends, and another one keeps its dots.
const parts = (path, absolute) => {
	const out = [];
	for (const part of path.split("/")) {
		if (part === "" || part === ".") continue;
		if (part !== "..") out.push(part);
		else if (out.length && out.at(-1) !== "..") out.pop();
		else if (!absolute) out.push(part);
	}
	return out;
};

const isAbsolute = (path) => text(path, "path").startsWith("/");

const normalize = (path) => {
	const absolute = isAbsolute(path), inner = parts(path, absolute).join("/");
	const end = path.endsWith("/") && inner ? "/" : "";
	if (absolute) return "/" + inner + end;
	return inner ? inner + end : path.endsWith("/") ? "./" : ".";
};

const join = (...paths) => {
	const joined = paths.filter((path) => text(path, "path") !== "").join("/");
	return joined ? normalize(joined) : ".";
};

const resolve = (...paths) => {
	let path = "";
	for (const next of paths) {
		if (text(next, "path") !== "") path = isAbsolute(next) ? next : path + "/" + next;
	}
	if (!isAbsolute(paths.findLast((next) => isAbsolute(next)) ?? "")) {
		throw new Error("path.resolve needs an absolute path here: a script has no current folder; join paths below the workspace with path.join");
	}
	return "/" + parts(path, true).join("/");
};

const relative = (from, to) => {
	if (isAbsolute(from) !== isAbsolute(to)) throw new Error("path.relative needs two absolute paths or two others here: a script has no current folder");
	const a = parts(from, isAbsolute(from)), b = parts(to, isAbsolute(to));
	let same = 0;
	while (same < a.length && same < b.length && a[same] === b[same]) same++;
	if (a.indexOf("..", same) >= 0) throw new Error("path.relative leads out of a folder whose name is not known: a script has no current folder");
	return [...a.slice(same).fill(".."), ...b.slice(same)].join("/");
};

// cut is a path without the slashes at its end.
const cut = (path) => {
	let end = path.length;
	while (end > 1 && path[end - 1] === "/") end--;
	return path.slice(0, end);
};

const dirname = (path) => {
	const inner = cut(text(path, "path")), at = inner.lastIndexOf("/");
	if (at < 0) return ".";
	if (at === 0) return "/";
	return inner.slice(0, at === 1 && path.startsWith("//") ? 2 : at);
};

const basename = (path, suffix) => {
	const inner = cut(text(path, "path"));
	if (suffix !== undefined) text(suffix, "suffix");
	if (suffix && suffix === path) return "";
	const name = inner === "/" ? "" : inner.slice(inner.lastIndexOf("/") + 1);
	return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
};

const extname = (path) => {
	const name = basename(path), at = name.lastIndexOf(".");
	return at <= 0 || name === ".." ? "" : name.slice(at);
};

const parse = (path) => {
	const base = basename(path), ext = extname(path), root = isAbsolute(path) ? "/" : "";
	const folder = cut(path).includes("/") ? dirname(path) : "", dir = folder === "//" ? "/" : folder;
	return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
};

const format = ({ dir, root = "", base, name = "", ext = "" }) => {
	const file = base || name + (ext && !ext.startsWith(".") ? "." : "") + ext, folder = dir || root;
	return !folder ? file : folder === root ? folder + file : folder + "/" + file;
};

const path = { sep: "/", delimiter: ":", basename, dirname, extname, format, isAbsolute, join, normalize, parse, relative, resolve, toNamespacedPath: (path) => path };
path.posix = path;
module.exports = path;
