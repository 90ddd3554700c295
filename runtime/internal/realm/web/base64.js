// atob and btoa.
(function (native, part) {
  "use strict";
  const invalid = (message) => {
    const { DOMException } = part("exception");
    throw new DOMException(message, "InvalidCharacterError");
  };
  const needs = (name, count) => {
    if (count === 0) throw new TypeError(name + " needs a text");
  };
  return {
    atob: function atob(data) {
      needs("atob", arguments.length);
      const text = native.atob(`${data}`);
      return text === null ? invalid("atob: the text is not base64") : text;
    },
    btoa: function btoa(data) {
      needs("btoa", arguments.length);
      const text = native.btoa(`${data}`);
      return text === null ? invalid("btoa: a character is above U+00FF; encode the text first, as in Buffer.from(text).toString(\"base64\")") : text;
    },
  };
})
