// The standard's URL. Of the older functions those are here that the standard can answer.
"use strict";
const fileURLToPath = (url) => {
	const { protocol, pathname, hostname } = new URL(url);
	if (protocol !== "file:") throw new TypeError("The URL must be of scheme file");
	if (hostname !== "") throw new TypeError("File URL host must be empty");
	if (/%2f/i.test(pathname)) throw new TypeError("File URL path must not include encoded / characters");
	return decodeURIComponent(pathname);
};

const pathToFileURL = (path) => {
	const url = new URL("file:///");
	url.pathname = require("path").resolve(path).replace(/[%\\\n\r\t?#]/g, encodeURIComponent) + (path.endsWith("/") && path !== "/" ? "/" : "");
	return url;
};

module.exports = { URL, URLSearchParams, fileURLToPath, pathToFileURL, domainToASCII: (domain) => { try { return new URL(`http://${domain}`).hostname; } catch { return ""; } } };
