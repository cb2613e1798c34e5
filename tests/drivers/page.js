// page.js PAGE: the HTML report in chromium: axe-core finds nothing serious in light and dark, nothing is loaded from
// elsewhere, no script of a finding runs, nothing is wider than a phone; sorting, filtering and links work. Needs
// puppeteer-core and axe-core in NODE_PATH. With a second argument, screenshots go to files that begin with it.
"use strict";
const path = require("path"), puppeteer = require("puppeteer-core");
const page = "file://" + path.resolve(process.argv[2]), shots = process.argv[3];
let failed = false;

function check(ok, what) {
	if (!ok) {
		failed = true;
		console.log("FAIL: " + what);
	}
}

async function accessible(p) {
	await p.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
	for (const scheme of ["light", "dark"]) {
		await p.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
		const result = await p.evaluate(() => axe.run({ resultTypes: ["violations"] }));
		for (const v of result.violations)
			check(false, scheme + ": " + v.impact + " " + v.id + " " + v.nodes[0].html);
	}
}

const shown = (p) => p.evaluate(() => Array.from(document.querySelectorAll("#findings-table tbody tr"))
	.filter((row) => !row.hidden).map((row) => row.dataset.id));

async function works(p) {
	const all = await shown(p);
	if (!all.length) return;
	await p.type("#search", "nothing has this");
	check((await shown(p)).length === 0, "filter");
	await p.$eval("#search", (e) => { e.value = ""; e.dispatchEvent(new Event("input")); });
	check((await shown(p)).length === all.length, "filter is gone");
	await p.focus("thead th button");
	await p.keyboard.press("Enter");
	await p.keyboard.press("Enter");
	check((await shown(p))[0] === all[all.length - 1], "sorted the other way, by keyboard");
	await p.evaluate((id) => { document.getElementById(id).open = false; location.hash = "#" + id; }, all[0]);
	await p.waitForFunction((id) => document.getElementById(id).open, { timeout: 5000 }, all[0]);
}

(async () => {
	const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		protocolTimeout: 1200000, args: ["--no-sandbox", "--headless=new", "--disable-gpu"] });
	const p = await browser.newPage();
	p.on("dialog", (d) => { check(false, "a script of a finding runs"); d.dismiss(); });
	p.on("pageerror", (e) => check(false, String(e)));
	p.on("request", (r) => check(r.url() === page || r.url().startsWith(page + "#"), "loads " + r.url()));
	await p.setViewport({ width: 1280, height: 900 });
	await p.goto(page);
	if (shots) {
		await p.screenshot({ path: shots + "-desktop.png" });
		const first = await p.$("details.finding[open]");
		if (first) await first.screenshot({ path: shots + "-finding.png" });
	}
	await works(p);
	await p.setViewport({ width: 390, height: 844, isMobile: true });
	await p.goto(page);
	check(await p.evaluate(() => document.documentElement.scrollWidth <= 390), "wider than a phone");
	if (shots) {
		await p.screenshot({ path: shots + "-phone.png" });
		const first = await p.$("details.finding[open]");
		if (first) await first.screenshot({ path: shots + "-phone-finding.png" });
		await p.emulateMediaType("print");
		await p.setViewport({ width: 794, height: 1123 });
		await p.screenshot({ path: shots + "-print.png" });
		await p.emulateMediaType(null);
		await p.pdf({ path: shots + ".pdf", format: "A4", printBackground: true, timeout: 0 });
	}
	const q = await browser.newPage();
	await q.setBypassCSP(true); // for axe-core itself
	await q.goto(page);
	await accessible(q);
	await browser.close();
	process.exit(failed ? 1 : 0);
})();
