module.exports = { Buffer, Blob, atob, btoa, kMaxLength: 2 ** 31 - 1, constants: { MAX_LENGTH: 2 ** 31 - 1 } };
