/** Writes the table of properties into the guide. */
import { readFileSync, writeFileSync } from 'node:fs';
import { guidePath, withTable } from './table.ts';

writeFileSync(guidePath, withTable(readFileSync(guidePath, 'utf8')));
