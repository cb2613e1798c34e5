(function () {
	"use strict";
	var table = document.getElementById("findings-table");
	var search = document.getElementById("search");
	var shown = document.getElementById("shown");
	var levels = Array.prototype.slice.call(document.querySelectorAll("input[name=level]"));
	var rows = table ? Array.prototype.slice.call(table.tBodies[0].rows) : [];

	function filter() {
		var text = search.value.toLowerCase(), n = 0, on = {};
		levels.forEach(function (box) { on[box.value] = box.checked; });
		rows.forEach(function (row) {
			var show = on[row.dataset.level] !== false && row.textContent.toLowerCase().indexOf(text) >= 0;
			var part = document.getElementById(row.dataset.id);
			row.hidden = !show;
			if (part) part.hidden = !show;
			n += show ? 1 : 0;
		});
		shown.textContent = n + " of " + rows.length + " shown";
	}

	function key(row, column) {
		var value = row.cells[column].dataset.sort || row.cells[column].textContent;
		return value !== "" && !isNaN(value) ? Number(value) : value.toLowerCase();
	}

	function sort(header, column) {
		var down = header.getAttribute("aria-sort") === "ascending";
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell) { cell.removeAttribute("aria-sort"); });
		header.setAttribute("aria-sort", down ? "descending" : "ascending");
		rows.sort(function (a, b) {
			var x = key(a, column), y = key(b, column);
			if (typeof x !== typeof y) { x = String(x); y = String(y); }
			return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
		});
		rows.forEach(function (row) { table.tBodies[0].appendChild(row); });
	}

	function reveal() {
		var part = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
		if (!part) return;
		part.hidden = false;
		var around = part.closest("details");
		if (around) around.open = true;
		part.scrollIntoView();
	}

	if (table) {
		Array.prototype.forEach.call(table.tHead.rows[0].cells, function (header, column) {
			header.querySelector("button").addEventListener("click", function () { sort(header, column); });
		});
		search.addEventListener("input", filter);
		levels.forEach(function (box) { box.addEventListener("change", filter); });
		document.querySelector(".tools").hidden = false;
		filter();
	}
	window.addEventListener("hashchange", reveal);
	window.addEventListener("beforeprint", function () {
		Array.prototype.forEach.call(document.querySelectorAll("details.finding"), function (d) { d.open = true; });
	});
	reveal();
})();
