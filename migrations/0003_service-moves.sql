ALTER TABLE `services` ADD `next_runner_id` text REFERENCES runners(id);--> statement-breakpoint
ALTER TABLE `services` ADD `next_host_port` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `services_next_runner_port` ON `services` (`next_runner_id`,`next_host_port`);