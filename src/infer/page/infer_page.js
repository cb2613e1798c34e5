"use strict";
const canvas = document.getElementById("view"), g = canvas.getContext("2d");
let from = 0, to = data.n, chosen = -1, drag = null;
const time = s => data.rate > 0 ? (s / data.rate * 1e6).toFixed(3) + " us" : s + " samples";
document.getElementById("about").textContent = data.all + " segments, " + time(data.n) +
	(data.path.length < data.all ? "; this page has the first " + data.path.length : "");
function color(name) {
	let h = 0;
	for (const c of name) h = (h * 31 + c.charCodeAt(0)) % 360;
	return "hsl(" + h + ",55%,75%)";
}
const axis = 18, wave = 110, lane = 22, lanes = data.path.reduce((m, p) => Math.max(m, p[4] + 1), 1);
canvas.style.height = axis + wave + 8 + Math.min(lanes, 24) * (lane + 2) + "px";
function drawAxis() {
	let step = 1;
	const unit = data.rate > 0 ? data.rate / 1e6 : 1;
	while (step * unit / (to - from) * canvas.width < 90)
		step *= String(step)[0] === "2" ? 2.5 : 2;
	g.fillStyle = "#555";
	g.font = "11px sans-serif";
	for (let k = Math.ceil(from / unit / step); k * step * unit < to; k++) {
		const at = x(k * step * unit);
		g.fillRect(at, 0, 1, 5);
		g.fillText(k * step + (data.rate > 0 ? " us" : ""), at + 3, 13);
	}
}
function x(sample) { return (sample - from) / (to - from) * canvas.width; }
function drawWave(height) {
	const columns = data.wave.length / 2;
	let least = Infinity, most = -Infinity;
	for (const v of data.wave) { least = Math.min(least, v); most = Math.max(most, v); }
	const y = v => axis + 4 + (most - v) / (most - least || 1) * (height - 8);
	g.strokeStyle = "#456";
	g.beginPath();
	for (let c = 0; c < columns; c++) {
		const at = x((c + 0.5) / columns * data.n);
		if (at < -5 || at > canvas.width + 5) continue;
		g.lineTo(at, y(data.wave[2 * c]));
		g.lineTo(at, y(data.wave[2 * c + 1]));
	}
	g.stroke();
}
function draw() {
	canvas.width = canvas.clientWidth;
	canvas.height = canvas.clientHeight;
	g.clearRect(0, 0, canvas.width, canvas.height);
	drawAxis();
	drawWave(wave);
	g.font = "11px sans-serif";
	data.path.forEach((p, i) => {
		const a = x(p[0]), b = x(p[1]);
		if (b < 0 || a > canvas.width) return;
		const top = axis + wave + 4 + Math.min(p[4], 23) * (lane + 2), width = Math.max(b - a, 0.5), s = data.segments[p[2]];
		g.fillStyle = s ? color(s[0]) : "#aaa";
		g.fillRect(a, top, width, lane);
		if (s && p[3] < data.sure) { g.fillStyle = "#c00"; g.fillRect(a, top + lane - 4, Math.max(width, 1), 4); }
		if (i === chosen) { g.strokeStyle = "#000"; g.lineWidth = 2; g.strokeRect(a, top, width, lane); g.lineWidth = 1; }
		if (width > 30) {
			g.save();
			g.beginPath(); g.rect(a, top, width, lane); g.clip();
			g.fillStyle = "#000";
			g.fillText(s ? s[0] : "not in the model", Math.max(a, 0) + 3, top + 15);
			g.restore();
		}
	});
}
function element(tag, text, name) {
	const e = document.createElement(tag);
	e.textContent = text;
	if (name) e.className = name;
	return e;
}
function show(i) {
	const p = data.path[i], s = data.segments[p[2]], detail = document.getElementById("detail"), source = document.getElementById("source");
	detail.textContent = "";
	detail.appendChild(element("b", s ? s[0] : "not in the model"));
	detail.appendChild(element("span", "at " + time(p[0]) + ", for " + time(p[1] - p[0]) +
		(s ? ", " + (p[3] * 100).toFixed(0) + "% sure; " + s[1] + "; " + s[2] : "")));
	source.textContent = "";
	const m = s && s[2].split(";")[0].match(/^(.*):([0-9 ]+)$/), text = m && data.sources[m[1]];
	if (!text) return;
	const hits = new Set(m[2].split(" ").map(Number));
	let first = null;
	text.split("\n").forEach((line, k) => {
		const e = element("span", String(k + 1).padStart(6) + "  " + line, hits.has(k + 1) ? "hit" : "line");
		if (hits.has(k + 1) && !first) first = e;
		source.appendChild(e);
	});
	if (first) source.scrollTop = first.offsetTop - source.offsetTop - 60;
}
function zoom(by, at) {
	const center = from + (to - from) * at, width = Math.min(Math.max((to - from) * by, 20), data.n);
	from = Math.max(0, Math.min(center - width * at, data.n - width));
	to = from + width;
	draw();
}
canvas.addEventListener("wheel", e => { e.preventDefault(); zoom(e.deltaY > 0 ? 1.3 : 1 / 1.3, e.offsetX / canvas.clientWidth); });
function choose(i) {
	if (i < 0 || i >= data.path.length) return;
	chosen = i;
	const p = data.path[i], width = to - from;
	if (p[0] < from || p[1] > to) {
		from = Math.max(0, Math.min((p[0] + p[1] - width) / 2, data.n - width));
		to = from + width;
	}
	show(i);
	draw();
}
function nextUnsure() {
	for (let k = 1; k <= data.path.length; k++) {
		const i = (chosen + k) % data.path.length, p = data.path[i];
		if (p[2] < 0 || p[3] < data.sure) return choose(i);
	}
}
canvas.addEventListener("keydown", e => {
	if (e.key === "ArrowRight") choose(chosen + 1);
	if (e.key === "ArrowLeft") choose(chosen - 1);
	if (e.key === "n" || e.key === "N") nextUnsure();
});
canvas.addEventListener("keydown", e => { if (e.key === "+") zoom(1 / 1.5, 0.5); if (e.key === "-") zoom(1.5, 0.5); });
canvas.addEventListener("mousedown", e => { drag = {at: e.offsetX, from, to, moved: false}; });
canvas.addEventListener("mousemove", e => {
	if (!drag) return;
	const by = (drag.at - e.offsetX) / canvas.clientWidth * (drag.to - drag.from);
	drag.moved = drag.moved || Math.abs(drag.at - e.offsetX) > 3;
	from = Math.max(0, Math.min(drag.from + by, data.n - (drag.to - drag.from)));
	to = from + drag.to - drag.from;
	draw();
});
window.addEventListener("mouseup", e => {
	if (drag && !drag.moved) {
		const at = from + drag.at / canvas.clientWidth * (to - from);
		chosen = data.path.findIndex(p => p[0] <= at && at < p[1]);
		if (chosen >= 0) show(chosen);
		draw();
	}
	drag = null;
});
window.addEventListener("resize", draw);
draw();
choose(data.path.findIndex(p => p[2] >= 0));
