export const run = (ctx, { text }) => text.toUpperCase() + "!";
