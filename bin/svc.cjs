#!/usr/bin/env node
// The `svc` command. Written in ES5 and with nothing but what every Node can parse, so that one
// that is too old is told so instead of failing on syntax. All work happens in dist/cli.js.

"use strict";

var required = require("../package.json").engines.node.replace(/[^0-9.]/g, "");

function isOlder(found, wanted) {
  var a = found.split(".");
  var b = wanted.split(".");
  var i = 0;
  while (i < b.length - 1 && Number(a[i]) === Number(b[i])) i++;
  return Number(a[i]) < Number(b[i]);
}

if (isOlder(process.versions.node, required)) {
  var found = "running on Node.js " + process.versions.node;
  process.stderr.write(
    "svc: error SVC3010: " + found + ". install Node.js " + required + " or later\n",
  );
  process.exitCode = 1;
} else {
  require("./start.cjs");
}
