-- A workload for the traced SQLite shell: inserts, an index, joins, groups, text.
PRAGMA journal_mode = OFF;
CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price INTEGER, shelf INTEGER);
CREATE TABLE shelf(id INTEGER PRIMARY KEY, room TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
INSERT INTO item SELECT i, printf('item %05d', (i * 7919) % 40000), (i * 37) % 997, i % 50 FROM n;
WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < 49)
INSERT INTO shelf SELECT i, 'room ' || (i / 10) FROM n;
COMMIT;
CREATE INDEX by_name ON item(name);
SELECT count(*), sum(price) FROM item WHERE name LIKE '%77%';
SELECT room, count(*), avg(price), min(name), max(name) FROM item JOIN shelf ON shelf.id = item.shelf GROUP BY room ORDER BY 2 DESC;
UPDATE item SET price = price + 1 WHERE name < 'item 10000';
DELETE FROM item WHERE price % 7 = 0;
SELECT count(*), sum(length(name)), group_concat(DISTINCT price % 5) FROM item;
SELECT a.name, b.name FROM item a JOIN item b ON b.id = a.price WHERE a.id % 500 = 3 ORDER BY a.name LIMIT 5;
