CREATE TABLE `object_days` (
	`day` integer PRIMARY KEY NOT NULL,
	`requests` integer NOT NULL
);
