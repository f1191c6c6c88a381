-- The switch became a choice of three. `false` was the default and is not carried over: read keys no longer see secret values.
UPDATE settings SET name = 'readKeysSee', value = '"none"' WHERE name = 'maskValuesForReadKeys' AND value = 'true';
--> statement-breakpoint
DELETE FROM settings WHERE name = 'maskValuesForReadKeys';
