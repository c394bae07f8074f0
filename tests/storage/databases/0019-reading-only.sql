BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0019');
CREATE TABLE attempt (
	instruction_id TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	request_hash TEXT NOT NULL, 
	claimed_at BIGINT NOT NULL, 
	boot_at FLOAT NOT NULL, 
	outcome TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	finished_at BIGINT, 
	CONSTRAINT pk_attempt PRIMARY KEY (instruction_id, n), 
	CONSTRAINT ck_attempt_outcome CHECK (outcome IN ('open', 'done', 'not_executed', 'unknown', 'abandoned')), 
	CONSTRAINT fk_attempt_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
INSERT INTO "attempt" VALUES('01M7W2Y7M10SV8M6A1M7Y68P86',1,'create','5c53011fe0f926de4dde678feea00974b48fa151588c1d0a7b428358a2b8185d',1795165200001000,1000.001,'done','CREATED',1795165200001000);
INSERT INTO "attempt" VALUES('01M7W2Y7M21HPQP05W7NQ0H63A',1,'create','cdd757d6888959dab6c4466c46cfe6177dae8e5888d8bf1a3387b5e1c89862dd',1795165200002000,1000.002,'done','created',1795165200002000);
INSERT INTO "attempt" VALUES('01M7W2Y7M21HPQP05W7NQ0H63A',2,'commit','137978be7cd110d600c741ab9c037783f86f069cd4ba88d3bd6514afa2796500',1795165200002000,1000.002,'unknown','the service has it already: it was sent before the database was put back',1795165200002000);
CREATE TABLE audit (
	seq BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	instruction_id TEXT NOT NULL, 
	actor TEXT NOT NULL, 
	action TEXT NOT NULL, 
	"before" TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	previous TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (seq)
);
INSERT INTO "audit" VALUES(1,1795165200001000,'01M7W2Y7M10SV8M6A1M7Y68P86','U0MARIA','requested','','new','{"code":"01M7W2Y7M1XPZGA782YGRQMRY4","content":"0f31b823d326c1244eeb2e78157a2410e37dcf20ec78b24fb95f4c04221a937c","digest":"d3f5d0e5db4499be5c65382d96463a56314cdac0bb2250cdc42bde3739e00961","reference":"P-5QFBTM","requirement":{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"typed_amount":false}}','0000000000000000000000000000000000000000000000000000000000000000','8db097ad2e57767beda9beb1b2bbc4d2c1069e63649ef56c4292b46f188f078d');
INSERT INTO "audit" VALUES(2,1795165200001000,'01M7W2Y7M10SV8M6A1M7Y68P86','switchboard','create','new','creating','{}','8db097ad2e57767beda9beb1b2bbc4d2c1069e63649ef56c4292b46f188f078d','13bc43efdb8f8951df51a345de25772f76d2c94960f6e075211c5530a3c6b41a');
INSERT INTO "audit" VALUES(3,1795165200001000,'01M7W2Y7M10SV8M6A1M7Y68P86','switchboard','created','creating','awaiting','{"remote_id":"4ddada5ff71a4767a1b8ec16"}','13bc43efdb8f8951df51a345de25772f76d2c94960f6e075211c5530a3c6b41a','f44ba2b5951711f1569c9e95726f147e4ecb15020531d5b282a61bf4df6a78eb');
INSERT INTO "audit" VALUES(4,1795165200002000,'01M7W2Y7M21HPQP05W7NQ0H63A','U0MARIA','requested','','new','{"code":"01M7W2Y7M25NS2BJWD6QF1E43W","content":"5650d3862974be40e7413f44e31e4dca3818c4db05e2004258cce15e113dcb50","digest":"137978be7cd110d600c741ab9c037783f86f069cd4ba88d3bd6514afa2796500","reference":"P-RNL86K","requirement":{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"typed_amount":false}}','f44ba2b5951711f1569c9e95726f147e4ecb15020531d5b282a61bf4df6a78eb','12b51d55e2bc23bd69f58b7e9cd73309b1a962576b50a42efa9d5fb54d08b2b7');
INSERT INTO "audit" VALUES(5,1795165200002000,'01M7W2Y7M21HPQP05W7NQ0H63A','switchboard','create','new','creating','{}','12b51d55e2bc23bd69f58b7e9cd73309b1a962576b50a42efa9d5fb54d08b2b7','c93e55769ea8f1cddfcac179635aad648bd15616e8c07ee4a61595b962326b82');
INSERT INTO "audit" VALUES(6,1795165200002000,'01M7W2Y7M21HPQP05W7NQ0H63A','switchboard','created','creating','awaiting','{"remote_id":"011450ecbe494c8f8a2ff8cb"}','c93e55769ea8f1cddfcac179635aad648bd15616e8c07ee4a61595b962326b82','c4d879424c9403b78d49d9d75ea3d75ed4cc93cb9f6ec79c446f76ab88ee0356');
INSERT INTO "audit" VALUES(7,1795165200002000,'','switchboard','reading_only','','','{"reason":"what was written down outside the database says that it once held more than it does now","sent":["payments.commit_payout 011450ecbe494c8f8a2ff8cb"],"until":"2026-11-20T09:00:00.002000+00:00"}','c4d879424c9403b78d49d9d75ea3d75ed4cc93cb9f6ec79c446f76ab88ee0356','05470b41756031e3bc74b05716c8f4faabf5a03d8e56d084f4c7b67ea19db9f1');
INSERT INTO "audit" VALUES(8,1795165200002000,'01M7W2Y7M21HPQP05W7NQ0H63A','switchboard','found_after_restore','awaiting','commit_unknown','{"attempt":2}','05470b41756031e3bc74b05716c8f4faabf5a03d8e56d084f4c7b67ea19db9f1','c81dc135ae2296e31a3472bbe8d847f572b652acd2e5819880e14f794fd9277c');
INSERT INTO "audit" VALUES(9,1795165200002000,'01M7W2Y7M21HPQP05W7NQ0H63A','switchboard','observed','commit_unknown','committed','{"status":"COMMITTED"}','c81dc135ae2296e31a3472bbe8d847f572b652acd2e5819880e14f794fd9277c','d7e6268ea0c19925dafe99d30f5f37e6796eefad7daed20f929fe35fc7bec515');
CREATE TABLE audit_head (
	id INTEGER NOT NULL, 
	seq BIGINT NOT NULL, 
	hash TEXT NOT NULL, 
	CONSTRAINT pk_audit_head PRIMARY KEY (id), 
	CONSTRAINT ck_audit_head_one_row CHECK (id = 1)
);
INSERT INTO "audit_head" VALUES(1,9,'d7e6268ea0c19925dafe99d30f5f37e6796eefad7daed20f929fe35fc7bec515');
CREATE TABLE audit_key (
	id INTEGER NOT NULL, 
	key_id TEXT NOT NULL, 
	CONSTRAINT pk_audit_key PRIMARY KEY (id), 
	CONSTRAINT ck_audit_key_one_row CHECK (id = 1)
);
INSERT INTO "audit_key" VALUES(1,'a751cf119a75daa0');
CREATE TABLE board (
	subject TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	thread_ts TEXT, 
	requester TEXT NOT NULL, 
	ts TEXT NOT NULL, 
	shown_version BIGINT NOT NULL, 
	wanted_version BIGINT NOT NULL, 
	progress BOOLEAN NOT NULL, 
	edited_at BIGINT, 
	due_at BIGINT, 
	attempts INTEGER NOT NULL, instruction_id TEXT, urgent BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_board PRIMARY KEY (subject)
);
INSERT INTO "board" VALUES('request:01M7W2Y7M10SV8M6A1M7Y68P86:requester','C0FINANCE',NULL,'U0MARIA','1795165200.001100',4,4,1,1795165200002000,NULL,0,'01M7W2Y7M10SV8M6A1M7Y68P86',0);
INSERT INTO "board" VALUES('request:01M7W2Y7M10SV8M6A1M7Y68P86:approvals','C0APPROVE',NULL,'','1795165200.001200',2,2,1,1795165200002000,NULL,0,'01M7W2Y7M10SV8M6A1M7Y68P86',0);
INSERT INTO "board" VALUES('request:01M7W2Y7M21HPQP05W7NQ0H63A:requester','C0FINANCE',NULL,'U0MARIA','1795165200.002100',6,6,1,1795165200002000,NULL,0,'01M7W2Y7M21HPQP05W7NQ0H63A',0);
INSERT INTO "board" VALUES('request:01M7W2Y7M21HPQP05W7NQ0H63A:approvals','C0APPROVE',NULL,'','1795165200.002200',4,4,1,1795165200002000,NULL,0,'01M7W2Y7M21HPQP05W7NQ0H63A',0);
CREATE TABLE booking (
	id TEXT NOT NULL, 
	reference TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	store TEXT NOT NULL, 
	request TEXT, 
	stage TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	requester TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	source_key TEXT NOT NULL, 
	external_id TEXT NOT NULL, 
	remote_id TEXT, 
	numeric_id TEXT NOT NULL, 
	prebooking_id TEXT, 
	status TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	sent_at BIGINT, 
	search_at BIGINT, 
	reads INTEGER NOT NULL, 
	polls INTEGER NOT NULL, 
	due_at BIGINT, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, 
	closed_at BIGINT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_booking PRIMARY KEY (id), 
	CONSTRAINT ck_booking_version CHECK (version > 0), 
	CONSTRAINT uq_booking_reference UNIQUE (reference), 
	CONSTRAINT uq_booking_source_key UNIQUE (source_key), 
	CONSTRAINT uq_booking_external_id UNIQUE (external_id), 
	CONSTRAINT uq_booking_store_remote_id UNIQUE (store, remote_id)
);
CREATE TABLE bulk_flight (
	instruction_id TEXT NOT NULL, 
	flying INTEGER, 
	known TEXT NOT NULL, 
	taken_at BIGINT NOT NULL, 
	CONSTRAINT pk_bulk_flight PRIMARY KEY (instruction_id), 
	CONSTRAINT ck_bulk_flight_flying CHECK (flying = 1), 
	CONSTRAINT fk_bulk_flight_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id), 
	CONSTRAINT uq_bulk_flight_flying UNIQUE (flying)
);
CREATE TABLE bulk_item (
	instruction_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	email TEXT NOT NULL, 
	payee TEXT NOT NULL, 
	cents BIGINT NOT NULL, 
	note TEXT NOT NULL, 
	status TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	error TEXT NOT NULL, 
	attempt INTEGER NOT NULL, 
	CONSTRAINT pk_bulk_item PRIMARY KEY (instruction_id, number), 
	CONSTRAINT ck_bulk_item_cents CHECK (cents > 0), 
	CONSTRAINT fk_bulk_item_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
CREATE TABLE "callback_token" (
	token_hash TEXT NOT NULL, 
	instruction_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	expires_at BIGINT, 
	CONSTRAINT pk_callback_token PRIMARY KEY (token_hash), 
	CONSTRAINT fk_callback_token_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
INSERT INTO "callback_token" VALUES('1967038dbae0540f1c748fcd3804d018d1dc30294d84102273836d2d24583f25','01M7W2Y7M10SV8M6A1M7Y68P86','confirmation',NULL);
INSERT INTO "callback_token" VALUES('78a75c107ce8050c6c03290fdfbd6be17cf5133917b7af801a4d3da5ad65dc0e','01M7W2Y7M10SV8M6A1M7Y68P86','cancel',NULL);
INSERT INTO "callback_token" VALUES('220484c45be21b5ea2259aab234837fd2a554f608510e3043572934c44ab174d','01M7W2Y7M10SV8M6A1M7Y68P86','failure',NULL);
INSERT INTO "callback_token" VALUES('bfc9850ef8fb7db2b774896c83bcdb757f2b56b33b24bbb01292f6185ed8d822','01M7W2Y7M21HPQP05W7NQ0H63A','confirmation',NULL);
INSERT INTO "callback_token" VALUES('f55afe96961bbb34fc63a4c8f809441b84511d64810f3410fd53b4263cae5e8b','01M7W2Y7M21HPQP05W7NQ0H63A','cancel',NULL);
INSERT INTO "callback_token" VALUES('57d6b15a8e7750f3687096911537e79318c4b732664bbc6f64a426e5d4ed0339','01M7W2Y7M21HPQP05W7NQ0H63A','failure',NULL);
CREATE TABLE dropped_file (
	id TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	message_ts TEXT NOT NULL, 
	thread_ts TEXT NOT NULL, 
	user TEXT NOT NULL, 
	name TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	mimetype TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	format TEXT NOT NULL, 
	duration_ms BIGINT, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	due_at BIGINT, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, header TEXT, 
	CONSTRAINT pk_dropped_file PRIMARY KEY (id)
);
CREATE TABLE email_address (
	job_id TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	address TEXT NOT NULL, 
	answer TEXT, 
	CONSTRAINT pk_email_address PRIMARY KEY (job_id, n), 
	CONSTRAINT fk_email_address_job_id_job FOREIGN KEY(job_id) REFERENCES job (id)
);
CREATE TABLE email_block (
	job_id TEXT NOT NULL, 
	part TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_email_block PRIMARY KEY (job_id, part, n), 
	CONSTRAINT fk_email_block_job_id_job FOREIGN KEY(job_id) REFERENCES job (id)
);
CREATE TABLE email_run (
	job_id TEXT NOT NULL, 
	header TEXT NOT NULL, 
	rows INTEGER NOT NULL, 
	skipped INTEGER NOT NULL, 
	total INTEGER NOT NULL, 
	taken INTEGER NOT NULL, 
	parked INTEGER NOT NULL, 
	repeated INTEGER NOT NULL, 
	outcomes TEXT NOT NULL, 
	CONSTRAINT pk_email_run PRIMARY KEY (job_id), 
	CONSTRAINT ck_email_run_taken CHECK (taken >= 0 AND taken <= total), 
	CONSTRAINT fk_email_run_job_id_job FOREIGN KEY(job_id) REFERENCES job (id)
);
CREATE TABLE flag (
	"key" TEXT NOT NULL, 
	value TEXT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_flag PRIMARY KEY ("key")
);
INSERT INTO "flag" VALUES('oldest_program','["0019","0018"]',1795602402438375);
INSERT INTO "flag" VALUES('delivery:stores_listed','{"due":"2026-11-20T10:00:00+00:00"}',1795165200000000);
INSERT INTO "flag" VALUES('reading_only','{"reason":"what was written down outside the database says that it once held more than it does now","sent":["payments.commit_payout 011450ecbe494c8f8a2ff8cb"],"since":"2026-11-20T09:00:00.002000+00:00","until":"2026-11-20T09:00:00.002000+00:00"}',1795165200002000);
INSERT INTO "flag" VALUES('look:01M7W2Y7M10SV8M6A1M7Y68P86','{"again_at":"2026-11-20T09:01:00.002000+00:00","reason":"it is created there, and not committed","seen":"not yet"}',1795165200002000);
INSERT INTO "flag" VALUES('look:01M7W2Y7M21HPQP05W7NQ0H63A','{"again_at":"","reason":"the service says sent","seen":"found"}',1795165200002000);
CREATE TABLE inbox (
	id TEXT NOT NULL, 
	token_hash TEXT NOT NULL, 
	body_hash TEXT NOT NULL, 
	instruction_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	body TEXT NOT NULL, 
	received_at BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	due_at BIGINT NOT NULL, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, hints INTEGER DEFAULT '1' NOT NULL, read_at BIGINT, 
	CONSTRAINT pk_inbox PRIMARY KEY (id), 
	CONSTRAINT ck_inbox_state CHECK (state IN ('received', 'applied', 'stale', 'unconfirmed')), 
	CONSTRAINT fk_inbox_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id), 
	CONSTRAINT uq_inbox_token_hash_body_hash UNIQUE (token_hash, body_hash)
);
CREATE TABLE instruction (
	id TEXT NOT NULL, 
	reference TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	code TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	requirement TEXT NOT NULL, 
	state TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	version BIGINT NOT NULL, 
	requester TEXT NOT NULL, 
	origin_channel TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	source_key TEXT NOT NULL, 
	recipient TEXT, 
	remote_id TEXT, 
	remote_status TEXT NOT NULL, 
	svc_hash TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	decided_by TEXT NOT NULL, 
	posted_at BIGINT, 
	expires_at BIGINT, 
	exec_deadline BIGINT, 
	sent_at BIGINT, 
	unknown_since BIGINT, 
	reads INTEGER NOT NULL, 
	last_read_at BIGINT, 
	creates INTEGER NOT NULL, 
	commits INTEGER NOT NULL, 
	puts_off INTEGER NOT NULL, 
	due_at BIGINT, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, 
	closed_at BIGINT, 
	payee_email TEXT NOT NULL, 
	cents BIGINT NOT NULL, progress TEXT, refusal TEXT, suspect TEXT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_instruction PRIMARY KEY (id), 
	CONSTRAINT ck_instruction_cents CHECK (cents > 0), 
	CONSTRAINT ck_instruction_round CHECK (round > 0), 
	CONSTRAINT ck_instruction_version CHECK (version > 0), 
	CONSTRAINT uq_instruction_code UNIQUE (code), 
	CONSTRAINT uq_instruction_reference UNIQUE (reference), 
	CONSTRAINT uq_instruction_source_key UNIQUE (source_key)
);
INSERT INTO "instruction" VALUES('01M7W2Y7M10SV8M6A1M7Y68P86','P-5QFBTM','payout','{"cents":2100,"description":"waits","email":"waits@example.com"}','01M7W2Y7M1XPZGA782YGRQMRY4','d3f5d0e5db4499be5c65382d96463a56314cdac0bb2250cdc42bde3739e00961','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','awaiting',1,9,'U0MARIA','C0FINANCE',1795165200001000,'command:5507264945.1268766267.5e06d687b5aff43c2871e8a64326d24a','{"active":true,"anyway":false,"country":"ECU","full_name":"Waits","instead":"","primary":true,"problem":"","verified":true}','4ddada5ff71a4767a1b8ec16','CREATED','','held: the database may be older than the services, so an operator has to look','',1795165200001000,1795251600001000,NULL,1795165200001000,NULL,0,NULL,1,0,0,1795165260002000,'',NULL,NULL,'waits@example.com',2100,NULL,NULL,NULL,0,'');
INSERT INTO "instruction" VALUES('01M7W2Y7M21HPQP05W7NQ0H63A','P-RNL86K','payout','{"cents":2200,"description":"paid","email":"paid@example.com"}','01M7W2Y7M25NS2BJWD6QF1E43W','137978be7cd110d600c741ab9c037783f86f069cd4ba88d3bd6514afa2796500','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','committed',1,12,'U0MARIA','C0FINANCE',1795165200002000,'command:5832583507.8628399015.d675b464ff8c1aff250e85002e7565bf','{"active":true,"anyway":false,"country":"ECU","full_name":"Paid","instead":"","primary":true,"problem":"","verified":true}','011450ecbe494c8f8a2ff8cb','COMMITTED','','','',1795165200002000,1795251600002000,NULL,1795165200002000,NULL,0,NULL,1,1,0,NULL,'',NULL,NULL,'paid@example.com',2200,NULL,NULL,NULL,0,'');
CREATE TABLE job (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	requester TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	thread_ts TEXT, 
	source_key TEXT NOT NULL, 
	version BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	due_at BIGINT, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, 
	closed_at BIGINT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_job PRIMARY KEY (id), 
	CONSTRAINT ck_job_version CHECK (version > 0), 
	CONSTRAINT uq_job_source_key UNIQUE (source_key)
);
CREATE TABLE outbox (
	seq INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	instruction_id TEXT, 
	"key" TEXT NOT NULL, 
	action TEXT NOT NULL, 
	place TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	due_at BIGINT NOT NULL, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, 
	sent_channel TEXT NOT NULL, 
	sent_ts TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	last_error TEXT NOT NULL, subject TEXT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, urgent BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_outbox PRIMARY KEY (seq), 
	CONSTRAINT ck_outbox_state CHECK (state IN ('new', 'sending', 'sent', 'unknown', 'dead')), 
	CONSTRAINT fk_outbox_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id), 
	CONSTRAINT uq_outbox_id UNIQUE (id), 
	CONSTRAINT uq_outbox_key UNIQUE ("key")
);
INSERT INTO "outbox" VALUES(1,'01M7W2Y7M159MQD11PC4QX6ZWE','01M7W2Y7M10SV8M6A1M7Y68P86','card:01M7W2Y7M10SV8M6A1M7Y68P86:requester','board','thread','C0FINANCE','{}','sent',1,1795165200001000,'',NULL,'C0FINANCE','1795165200.001100',1795165200001000,'','request:01M7W2Y7M10SV8M6A1M7Y68P86:requester',0,'',0);
INSERT INTO "outbox" VALUES(2,'01M7W2Y7M157B5GZZS406E39S9','01M7W2Y7M10SV8M6A1M7Y68P86','card:01M7W2Y7M10SV8M6A1M7Y68P86:approvals','board','thread','C0APPROVE','{}','sent',1,1795165200001000,'',NULL,'C0APPROVE','1795165200.001200',1795165200001000,'','request:01M7W2Y7M10SV8M6A1M7Y68P86:approvals',0,'',0);
INSERT INTO "outbox" VALUES(3,'01M7W2Y7M2FJYJNAX8RPFCKMHT','01M7W2Y7M21HPQP05W7NQ0H63A','card:01M7W2Y7M21HPQP05W7NQ0H63A:requester','board','thread','C0FINANCE','{}','sent',1,1795165200002000,'',NULL,'C0FINANCE','1795165200.002100',1795165200002000,'','request:01M7W2Y7M21HPQP05W7NQ0H63A:requester',0,'',0);
INSERT INTO "outbox" VALUES(4,'01M7W2Y7M2E398AQ1XAG155FFS','01M7W2Y7M21HPQP05W7NQ0H63A','card:01M7W2Y7M21HPQP05W7NQ0H63A:approvals','board','thread','C0APPROVE','{}','sent',1,1795165200002000,'',NULL,'C0APPROVE','1795165200.002200',1795165200002000,'','request:01M7W2Y7M21HPQP05W7NQ0H63A:approvals',0,'',0);
INSERT INTO "outbox" VALUES(5,'01M7W2Y7M275JD8KN1YHW7SRSN',NULL,'reading_only:01M7W2Y7M22S12TN4BKZR1DXVN','line','','C0APPROVE','{"reason":"what was written down outside the database says that it once held more than it does now","topic":"reading_only"}','sent',1,1795165200002000,'',NULL,'C0APPROVE','1795165200.002500',1795165200002000,'','notice:reading_only:01M7W2Y7M22S12TN4BKZR1DXVN',0,'',0);
INSERT INTO "outbox" VALUES(6,'01M7W2Y7M24S2AK2EE4FN1H189',NULL,'reading_only:01M7W2Y7M2JFDE04X1AKNY1D79','line','','C0ALERTS','{"reason":"what was written down outside the database says that it once held more than it does now","topic":"reading_only"}','sent',1,1795165200002000,'',NULL,'C0ALERTS','1795165200.002600',1795165200002000,'','notice:reading_only:01M7W2Y7M2JFDE04X1AKNY1D79',0,'',0);
INSERT INTO "outbox" VALUES(7,'01M7W2Y7M2MF41YR1HJZ97WH4G',NULL,'reading_only:01M7W2Y7M2TKXH9NSFX5J4KJP6','line','','C0MONEY','{"reason":"what was written down outside the database says that it once held more than it does now","topic":"reading_only"}','sent',1,1795165200002000,'',NULL,'C0MONEY','1795165200.002700',1795165200002000,'','notice:reading_only:01M7W2Y7M2TKXH9NSFX5J4KJP6',0,'',0);
CREATE TABLE reservation (
	instruction_id TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	day TEXT NOT NULL, 
	cents BIGINT NOT NULL, 
	released BOOLEAN NOT NULL, 
	CONSTRAINT pk_reservation PRIMARY KEY (instruction_id, n), 
	CONSTRAINT ck_reservation_cents CHECK (cents > 0), 
	CONSTRAINT fk_reservation_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
INSERT INTO "reservation" VALUES('01M7W2Y7M21HPQP05W7NQ0H63A',2,'2026-11-20',2200,0);
CREATE TABLE seen_request (
	signature_hash TEXT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	CONSTRAINT pk_seen_request PRIMARY KEY (signature_hash)
);
CREATE TABLE send_slot (
	n INTEGER NOT NULL, 
	sent_at BIGINT NOT NULL, 
	CONSTRAINT pk_send_slot PRIMARY KEY (n)
);
INSERT INTO "send_slot" VALUES(0,0);
INSERT INTO "send_slot" VALUES(1,0);
INSERT INTO "send_slot" VALUES(2,0);
INSERT INTO "send_slot" VALUES(3,0);
INSERT INTO "send_slot" VALUES(4,0);
INSERT INTO "send_slot" VALUES(5,0);
INSERT INTO "send_slot" VALUES(6,0);
INSERT INTO "send_slot" VALUES(7,0);
INSERT INTO "send_slot" VALUES(8,0);
INSERT INTO "send_slot" VALUES(9,0);
CREATE TABLE store (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	folded TEXT NOT NULL, 
	state TEXT NOT NULL, 
	sealed_key TEXT NOT NULL, 
	remote_id TEXT NOT NULL, 
	record TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	created_by TEXT NOT NULL, 
	seen_at BIGINT, 
	due_at BIGINT, 
	CONSTRAINT pk_store PRIMARY KEY (id), 
	CONSTRAINT uq_store_folded UNIQUE (folded)
);
INSERT INTO "store" VALUES('01M7W2Y7M0H3QRGHNEPR24DM9S','Centro','centro','ready','1.27760f67.f_jequeHllT2L_kMgpJIsC0T23oNchWzoclqXuBZRWHSsJbE2cKbxSDW6tDJA1ge33sKXN-K7A==','78fb779d54f6007e01a4acfa','{"address":"1 Main Square","country_code":"+593","email":"store@example.com","id":"78fb779d54f6007e01a4acfa","latitude":"-0.1807","longitude":"-78.4678","mobile":"22345678","name":"Centro","reference":"Beside the church"}',1795165200000000,'',1795165200000000,NULL);
CREATE TABLE store_event (
	id TEXT NOT NULL, 
	token_hash TEXT NOT NULL, 
	body_hash TEXT NOT NULL, 
	store TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	body TEXT NOT NULL, 
	received_at BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	due_at BIGINT NOT NULL, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_store_event PRIMARY KEY (id)
);
CREATE TABLE store_hook (
	token_hash TEXT NOT NULL, 
	id TEXT NOT NULL, 
	store TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	CONSTRAINT pk_store_hook PRIMARY KEY (token_hash)
);
CREATE TABLE tracked (
	kind TEXT NOT NULL, 
	remote_id TEXT NOT NULL, 
	instruction_id TEXT, 
	created_at BIGINT NOT NULL, 
	due_at BIGINT, 
	polls INTEGER NOT NULL, 
	lease_owner TEXT NOT NULL, 
	lease_until BIGINT, 
	last_status TEXT NOT NULL, 
	stopped_at BIGINT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_tracked PRIMARY KEY (kind, remote_id), 
	CONSTRAINT fk_tracked_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
INSERT INTO "tracked" VALUES('payout','011450ecbe494c8f8a2ff8cb','01M7W2Y7M21HPQP05W7NQ0H63A',1795165200002000,1795165230002000,0,'',NULL,'',NULL,0,'');
CREATE TABLE unread_answer (
	operation TEXT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	first_seen BIGINT NOT NULL, 
	last_seen BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	mended_at BIGINT, 
	CONSTRAINT pk_unread_answer PRIMARY KEY (operation, fingerprint)
);
CREATE TABLE vote (
	instruction_id TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	person TEXT NOT NULL, 
	choice TEXT NOT NULL, 
	at BIGINT NOT NULL, typed BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_vote PRIMARY KEY (instruction_id, round, person), 
	CONSTRAINT fk_vote_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
CREATE INDEX ix_instruction_due_at ON instruction (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_instruction_payee_email_cents_created_at ON instruction (payee_email, cents, created_at);
CREATE INDEX ix_instruction_remote_id ON instruction (remote_id);
CREATE INDEX ix_instruction_requester ON instruction (requester);
CREATE UNIQUE INDEX uq_attempt_open ON attempt (instruction_id) WHERE outcome = 'open';
CREATE INDEX ix_reservation_day ON reservation (day);
CREATE INDEX ix_outbox_open_due_at ON outbox (due_at) WHERE state IN ('new', 'sending', 'unknown');
CREATE INDEX ix_inbox_received_due_at ON inbox (due_at) WHERE state = 'received';
CREATE INDEX ix_tracked_kind_due_at ON tracked (kind, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_audit_instruction_id ON audit (instruction_id);
CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;
CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;
CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head WHEN NEW.seq <> OLD.seq + 1 BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;
CREATE TRIGGER instruction_frozen BEFORE UPDATE OF id, reference, kind, payload, code, digest, requester, created_at, source_key ON instruction BEGIN SELECT RAISE(ABORT, 'what was asked never changes'); END;
CREATE INDEX ix_callback_token_instruction_id ON callback_token (instruction_id);
CREATE INDEX ix_outbox_subject_seq ON outbox (subject, seq) WHERE subject IS NOT NULL;
CREATE INDEX ix_board_channel_ts ON board (channel, ts);
CREATE INDEX ix_board_due_at ON board (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_job_kind_due_at ON job (kind, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_job_open_created_at ON job (created_at) WHERE closed_at IS NULL;
CREATE INDEX ix_job_requester_created_at ON job (requester, created_at);
CREATE INDEX ix_bulk_item_payee_status ON bulk_item (payee, status);
CREATE INDEX ix_dropped_file_due_at ON dropped_file (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_booking_stage ON booking (stage);
CREATE INDEX ix_booking_numeric_id ON booking (numeric_id);
CREATE INDEX ix_booking_requester_created_at ON booking (requester, created_at);
CREATE INDEX ix_booking_due_at ON booking (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_store_hook_store_kind ON store_hook (store, kind);
CREATE UNIQUE INDEX uq_store_event_open ON store_event (token_hash, body_hash) WHERE state = 'received';
CREATE INDEX ix_store_event_received_due_at ON store_event (due_at) WHERE state = 'received';
CREATE INDEX ix_store_event_store_received_at ON store_event (store, received_at);
CREATE INDEX ix_instruction_stopped ON instruction (stopped) WHERE stopped <> '';
CREATE INDEX ix_inbox_stopped ON inbox (stopped) WHERE stopped <> '';
CREATE INDEX ix_outbox_stopped ON outbox (stopped) WHERE stopped <> '';
CREATE INDEX ix_tracked_stopped ON tracked (stopped) WHERE stopped <> '';
CREATE INDEX ix_job_stopped ON job (stopped) WHERE stopped <> '';
CREATE INDEX ix_dropped_file_stopped ON dropped_file (stopped) WHERE stopped <> '';
CREATE INDEX ix_booking_stopped ON booking (stopped) WHERE stopped <> '';
CREATE INDEX ix_store_event_stopped ON store_event (stopped) WHERE stopped <> '';
CREATE INDEX ix_inbox_instruction_id_read_at ON inbox (instruction_id, read_at);
CREATE INDEX ix_inbox_received_at ON inbox (received_at);
CREATE INDEX ix_store_event_token_hash ON store_event (token_hash);
CREATE INDEX ix_store_event_received_at ON store_event (received_at);
CREATE INDEX ix_seen_request_seen_at ON seen_request (seen_at);
CREATE INDEX ix_board_instruction_id ON board (instruction_id) WHERE instruction_id IS NOT NULL;
CREATE INDEX ix_instruction_state_kind ON instruction (state, kind);
COMMIT;
