// sarif.js SCHEMA FILE...: are they valid? Needs ajv and ajv-formats (ajv-draft-04 for older schemas) in NODE_PATH.
"use strict";
const fs = require("fs");
const schema = JSON.parse(fs.readFileSync(process.argv[2]));
const draft = String(schema.$schema);
const Ajv = draft.includes("2020") ? require("ajv/dist/2020") : draft.includes("draft-04") ? require("ajv-draft-04") : require("ajv");
const ajv = new (Ajv.default || Ajv)({ strict: false, allErrors: true });
require("ajv-formats")(ajv);
const check = ajv.compile(schema);
let failed = false;
for (const file of process.argv.slice(3))
	if (!check(JSON.parse(fs.readFileSync(file)))) {
		failed = true;
		console.log(file + ": " + JSON.stringify(check.errors.slice(0, 5)));
	}
process.exit(failed ? 1 : 0);
