/** Writes the page of guarantees. */
import { writeFileSync } from 'node:fs';
import { guaranteesPage, guaranteesPath } from './table.ts';

writeFileSync(guaranteesPath, guaranteesPage());
