module.exports = { performance };
