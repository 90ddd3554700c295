/*---
kind: script
name: release-to-production
description: Tag what is there, push the tag, and ask a person first.
allowed_tools: ["bash(git tag *)", "bash(git push *)"]
---*/
export default async (ctx, { tag = "v1.2.3" }) => {
  await ctx.approve("Shall " + tag + " be released? Everybody gets it within an hour.", { tag, since: "v1.2.2" });
  return ctx.bash("git tag v1.2.3");
};
