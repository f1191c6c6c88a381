DROP INDEX `runners_unreported`;--> statement-breakpoint
DROP INDEX `runners_reported`;--> statement-breakpoint
CREATE INDEX `runners_away` ON `runners` (`disconnected_at`) WHERE connected_at is null;