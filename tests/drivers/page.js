// page.js PAGE: the HTML report in chromium: axe-core finds nothing serious in light and dark, nothing is loaded from
// elsewhere, no script of a finding runs, nothing is wider than a phone; sorting, filtering and links work. Needs
// puppeteer-core and axe-core in NODE_PATH. With a second argument, screenshots go to files that begin with it: the page
// on a desktop, its first finding in the dark and on a phone; with a third one also the page on a phone and in print.
"use strict";
const path = require("path"), puppeteer = require("puppeteer-core");
const page = "file://" + path.resolve(process.argv[2]), shots = process.argv[3], more = process.argv[4];
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
	const number = (id) => Number(id.slice(1)), last = Math.max(...all.map(number));
	check(number((await shown(p))[0]) === last, "sorted the other way, by keyboard");
	await p.evaluate((id) => { document.getElementById(id).open = false; location.hash = "#" + id; }, all[0]);
	await p.waitForFunction((id) => document.getElementById(id).open, { timeout: 5000 }, all[0]);
}

// The first finding, as far as it is of use in a document.
async function finding(p, width, height, scheme, name) {
	await p.setViewport({ width, height, isMobile: width < 500 });
	await p.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
	await p.goto(page);
	const first = await p.$("details.finding[open]");
	if (!first) return;
	const box = await first.boundingBox(), edge = width < 500 ? 14 : 20;
	await p.screenshot({ path: shots + name, captureBeyondViewport: true, clip: { x: Math.max(0, box.x - edge), y: box.y - 16,
		width: Math.min(width, box.width + 2 * edge), height: Math.min(height, box.height + 32) } });
}

async function pictures(p) {
	await p.setViewport({ width: 1180, height: 1360 });
	await p.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
	await p.goto(page);
	await p.screenshot({ path: shots + "-desktop.png" });
	await finding(p, 1180, 1100, "dark", "-dark.png");
	await finding(p, 390, 1370, "light", "-phone.png");
	if (!more) return;
	await p.setViewport({ width: 390, height: 844, isMobile: true });
	await p.goto(page);
	await p.screenshot({ path: shots + "-phone-top.png" });
	await p.emulateMediaType("print");
	await p.setViewport({ width: 794, height: 1123 });
	await p.screenshot({ path: shots + "-print.png" });
	await p.emulateMediaType(null);
	await p.pdf({ path: shots + ".pdf", format: "A4", printBackground: true, timeout: 0 });
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
	await works(p);
	await p.setViewport({ width: 390, height: 844, isMobile: true });
	await p.goto(page);
	check(await p.evaluate(() => document.documentElement.scrollWidth <= 390), "wider than a phone");
	if (shots) await pictures(p);
	const q = await browser.newPage();
	await q.setBypassCSP(true); // for axe-core itself
	await q.goto(page);
	await accessible(q);
	await browser.close();
	process.exit(failed ? 1 : 0);
})();
