BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0016');
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
INSERT INTO "attempt" VALUES('01M7W2Y7M18D1TDV3320R94YYP',1,'create','bf2bec7bbb89ba5e552d9b29bff9492ee3036b3dee462f8bf835793e9db6a0ae',1795165200001000,1000.001,'done','CREATED',1795165200001000);
INSERT INTO "attempt" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',1,'commit','02a43f5fb5c17e2bcc3d718d3e1163535c038af0b3c9d63f4a336d29211dddda',1795165200001000,1000.001,'done','pending',1795165200001000);
INSERT INTO "attempt" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6',1,'create','0b8213efced8c6088bfe54eecf9d48ce38b79e2e0261ac1083731f2dd74755f5',1795165240002000,1040.002,'done','created',1795165240002000);
INSERT INTO "attempt" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6',2,'commit','248beed141965538a4f1b672e55142dc659178b1385edf544c762832a38e9b4f',1795165240002000,1040.002,'done','committed',1795165240002000);
INSERT INTO "attempt" VALUES('01M7W2ZEP4TYV9EBC9F6M8466M',1,'create','7e42df1e714300a1baba1366db42d2f5644a115e59f272fb277eb7163d1afcdb',1795165240004000,1040.004,'done','CREATED',1795165240004000);
INSERT INTO "attempt" VALUES('01M7W2ZEP56V927S3SKCSPQAZG',1,'create','bcf83c46f766b314c29c3926288ef2a8002e451cd34d622661a9782811bc649e',1795165240005000,1.0400049999999998818e+03,'done','created',1795165240005000);
INSERT INTO "attempt" VALUES('01M7W2ZEP62T2JS8PTECSXE0AC',1,'create','a65700a6aeba0153dd9c8f05e1f4d647bae9235af6200ed6998f553483bfec48',1795165240006000,1.04000599999999985808e+03,'done','CREATED',1795165240006000);
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
INSERT INTO "audit" VALUES(1,1795165200001000,'01M7W2Y7M18D1TDV3320R94YYP','U0MARIA','requested','','new','{"code":"01M7W2Y7M159P6KMET0WPF1RTA","digest":"0d92472d70f99b4392788f1fd96543a6b36a2d8d9aa6857cf0c228158348477d","reference":"C-LRYAKM"}','0000000000000000000000000000000000000000000000000000000000000000','f507ab80053f4af0ff6019ac960fc22fd19786c7382bb3e9c8d94b8462af0a33');
INSERT INTO "audit" VALUES(2,1795165200001000,'01M7W2Y7M18D1TDV3320R94YYP','switchboard','create','new','creating','{}','f507ab80053f4af0ff6019ac960fc22fd19786c7382bb3e9c8d94b8462af0a33','70b2b5b24609c7f9f070ddacfd5efe34a596ecfdd8259b58d8033eab0b93e080');
INSERT INTO "audit" VALUES(3,1795165200001000,'01M7W2Y7M18D1TDV3320R94YYP','switchboard','opened','creating','open','{"remote_id":"b133b29783a6478cb69994dd","status":"CREATED"}','70b2b5b24609c7f9f070ddacfd5efe34a596ecfdd8259b58d8033eab0b93e080','a311b2d5bdb1510c0d60dad8f3faffbcfcbae51d0511f2daa09827423d512946');
INSERT INTO "audit" VALUES(4,1795165200001000,'01M7W2Y7M1HR1G73TWE04D2B9B','U0MARIA','requested','','new','{"code":"01M7W2Y7M16AK602TX82CKNRW3","digest":"02a43f5fb5c17e2bcc3d718d3e1163535c038af0b3c9d63f4a336d29211dddda","reference":"B-9H9ESC"}','a311b2d5bdb1510c0d60dad8f3faffbcfcbae51d0511f2daa09827423d512946','c911681313a4005395f133071305d649269ab17280fdd710790826d60d6d5fdf');
INSERT INTO "audit" VALUES(5,1795165200001000,'01M7W2Y7M1HR1G73TWE04D2B9B','switchboard','prepared','new','awaiting','{}','c911681313a4005395f133071305d649269ab17280fdd710790826d60d6d5fdf','2181603815418c960da2cac2b0f616c05cabe8a5c62311694fd5693d3e59fea7');
INSERT INTO "audit" VALUES(6,1795165200001000,'01M7W2Y7M1HR1G73TWE04D2B9B','U0ADA','approve','awaiting','approved','{"counted":["U0ADA"],"quorum":1,"round":1}','2181603815418c960da2cac2b0f616c05cabe8a5c62311694fd5693d3e59fea7','54779d1039e31f3718f5bfd2b0b8aaa80fa0ad509dfa8fb8ea9e2d21fdf7c568');
INSERT INTO "audit" VALUES(7,1795165200001000,'01M7W2Y7M1HR1G73TWE04D2B9B','switchboard','send','approved','sending','{"attempt":1,"counted":["U0ADA"],"digest":"02a43f5fb5c17e2bcc3d718d3e1163535c038af0b3c9d63f4a336d29211dddda"}','54779d1039e31f3718f5bfd2b0b8aaa80fa0ad509dfa8fb8ea9e2d21fdf7c568','a3e3d370fb4782ef28b1b55ee48cf87deb1c55fa0b218923030e5d3a55fc9ff7');
INSERT INTO "audit" VALUES(8,1795165200001000,'01M7W2Y7M1HR1G73TWE04D2B9B','switchboard','observed','sending','committed','{"remote_id":"28aa83bb3ef347daa9295a39","status":"pending"}','a3e3d370fb4782ef28b1b55ee48cf87deb1c55fa0b218923030e5d3a55fc9ff7','888b7b45816271027b46bd9a105aa7e6c7f9c44416bedfd1f8f389cfb05e0618');
INSERT INTO "audit" VALUES(9,1795165240002000,'01M7W2ZEP2DVCRSJK42JVHM9Q6','U0MARIA','requested','','new','{"code":"01M7W2ZEP2C6FEFY8QBWYREVQD","digest":"248beed141965538a4f1b672e55142dc659178b1385edf544c762832a38e9b4f","reference":"P-XVNEPC"}','888b7b45816271027b46bd9a105aa7e6c7f9c44416bedfd1f8f389cfb05e0618','196338c8c820dc2562b4c42e313fdaae3869de34964fbac9d8baa1a08a3667a1');
INSERT INTO "audit" VALUES(10,1795165240002000,'01M7W2ZEP2DVCRSJK42JVHM9Q6','switchboard','create','new','creating','{}','196338c8c820dc2562b4c42e313fdaae3869de34964fbac9d8baa1a08a3667a1','7e8f538c07855debec2b0d231cb48433de75122e6dcc827d2e85b7ef158b77c4');
INSERT INTO "audit" VALUES(11,1795165240002000,'01M7W2ZEP2DVCRSJK42JVHM9Q6','switchboard','created','creating','awaiting','{"remote_id":"ad81d424826f414893664172"}','7e8f538c07855debec2b0d231cb48433de75122e6dcc827d2e85b7ef158b77c4','ed9e7f603c51274ae58b8075b81a101c57856d11ac8cdfb8639f3ce016714e39');
INSERT INTO "audit" VALUES(12,1795165240002000,'01M7W2ZEP2DVCRSJK42JVHM9Q6','U0ADA','approve','awaiting','approved','{"counted":["U0ADA"],"quorum":1,"round":1}','ed9e7f603c51274ae58b8075b81a101c57856d11ac8cdfb8639f3ce016714e39','e5e9950f077d6ca71aa426097c231fe98913df8de33b045038ce303c663bacec');
INSERT INTO "audit" VALUES(13,1795165240002000,'01M7W2ZEP2DVCRSJK42JVHM9Q6','switchboard','send','approved','sending','{"attempt":2,"counted":["U0ADA"],"digest":"248beed141965538a4f1b672e55142dc659178b1385edf544c762832a38e9b4f"}','e5e9950f077d6ca71aa426097c231fe98913df8de33b045038ce303c663bacec','df80220e39effa21f33b918c02ad75ef0d172df965ec76b1c5f10d06324603e9');
INSERT INTO "audit" VALUES(14,1795165240002000,'01M7W2ZEP2DVCRSJK42JVHM9Q6','switchboard','observed','sending','committed','{"status":"committed"}','df80220e39effa21f33b918c02ad75ef0d172df965ec76b1c5f10d06324603e9','833b168adb5678e3b17725f6d387da76c8cd932b1d19c1a83cce23d3321803bf');
INSERT INTO "audit" VALUES(15,1795165240003000,'01M7W2ZEP346WJC642G7Q7FNR0','U0MARIA','booked','quoted','new','{"amount":"25.50","currency":"USD","fee":"1.97","payment":"CASH","reference":"B-R22BBP","store":"Centro","tax":"0.26"}','833b168adb5678e3b17725f6d387da76c8cd932b1d19c1a83cce23d3321803bf','fe386a7f7317c07d4a46e35c10102eac97a413058b86052724a39a771c6ca5e9');
INSERT INTO "audit" VALUES(16,1795165240003000,'01M7W2ZEP346WJC642G7Q7FNR0','switchboard','sent','new','sending','{"reference":"B-R22BBP","store":"Centro"}','fe386a7f7317c07d4a46e35c10102eac97a413058b86052724a39a771c6ca5e9','eea088f113f8ffe60bc3a5e52a1a81bd390e7afacfbd9b97b8488bf425facbd2');
INSERT INTO "audit" VALUES(17,1795165240003000,'01M7W2ZEP346WJC642G7Q7FNR0','switchboard','taken','sending','open','{"number":"10001","reference":"B-R22BBP","status":"READY_FOR_PICKUP","store":"Centro"}','eea088f113f8ffe60bc3a5e52a1a81bd390e7afacfbd9b97b8488bf425facbd2','669dd011e5ae10ebb5faaacc80a8882f41245dda8c9b74b429ea3bad28cbed49');
INSERT INTO "audit" VALUES(18,1795165240004000,'01M7W2ZEP4TYV9EBC9F6M8466M','U0MARIA','requested','','new','{"code":"01M7W2ZEP4YN9SFECJDZHZ4XAC","digest":"181ba62c91446795b6def11873dd5dba0c381ad692489c6bb52ae341ca91c58e","reference":"P-BM2AZC"}','669dd011e5ae10ebb5faaacc80a8882f41245dda8c9b74b429ea3bad28cbed49','cd582cabe57ba5affa5bf5ddb29712ea27b56442f081252923a8f4e85c454263');
INSERT INTO "audit" VALUES(19,1795165240004000,'01M7W2ZEP4TYV9EBC9F6M8466M','switchboard','create','new','creating','{}','cd582cabe57ba5affa5bf5ddb29712ea27b56442f081252923a8f4e85c454263','f752028ca08ac7a8969a9b703c10e2ac08d1ad3abe9fd26d95a35ecccd1a8bd9');
INSERT INTO "audit" VALUES(20,1795165240004000,'01M7W2ZEP4TYV9EBC9F6M8466M','switchboard','created','creating','awaiting','{"remote_id":"dea7df9c4f174397bb28709b"}','f752028ca08ac7a8969a9b703c10e2ac08d1ad3abe9fd26d95a35ecccd1a8bd9','cbd52e78d82267dc853695ce19e83ed49f9f146a0dd278b31ea8331d715f585d');
INSERT INTO "audit" VALUES(21,1795165240005000,'01M7W2ZEP56V927S3SKCSPQAZG','U0MARIA','requested','','new','{"code":"01M7W2ZEP5A70KCWX90APZPG2F","digest":"e4ac25911ec59e4d0fa44cb92eb053dcba78931082267b34b83d43c06d9bc2f2","reference":"P-84DL8Y"}','cbd52e78d82267dc853695ce19e83ed49f9f146a0dd278b31ea8331d715f585d','0423955e9cf08b4426d93105edc14d0f9d73d199dbac58f5ed30e419669e1ba7');
INSERT INTO "audit" VALUES(22,1795165240005000,'01M7W2ZEP56V927S3SKCSPQAZG','switchboard','create','new','creating','{}','0423955e9cf08b4426d93105edc14d0f9d73d199dbac58f5ed30e419669e1ba7','a40cc1485936a29f604cca8e392f6aa823e57fc3513ad59ab87e495f825c111a');
INSERT INTO "audit" VALUES(23,1795165240005000,'01M7W2ZEP56V927S3SKCSPQAZG','switchboard','created','creating','awaiting','{"remote_id":"209d41f626c64dcc850ebafc"}','a40cc1485936a29f604cca8e392f6aa823e57fc3513ad59ab87e495f825c111a','8f65070260622d5e9e13dc6f4fad95d20637ac9ff9d62926ee4cdcf2b9595137');
INSERT INTO "audit" VALUES(24,1795165240005000,'01M7W2ZEP56V927S3SKCSPQAZG','U0ADA','rejected','awaiting','rejected','{"reason":"no"}','8f65070260622d5e9e13dc6f4fad95d20637ac9ff9d62926ee4cdcf2b9595137','207ecf09bea053417a54f29db15d08ec7cd8cea9ca5e24f0a41cce8d79481284');
INSERT INTO "audit" VALUES(25,1795165240006000,'01M7W2ZEP62T2JS8PTECSXE0AC','U0MARIA','requested','','new','{"code":"01M7W2ZEP6C1P3H2WT769MVP2K","digest":"f1ef4d8b5f8531db3812dba0bfc3fb6264e320004ea13a92be5064554669e6bb","reference":"P-YE6MPY"}','207ecf09bea053417a54f29db15d08ec7cd8cea9ca5e24f0a41cce8d79481284','4d7bfdc60147fdcb8187a55b76b92a1b98438c3671550dbbf8da5b33ce6c75d6');
INSERT INTO "audit" VALUES(26,1795165240006000,'01M7W2ZEP62T2JS8PTECSXE0AC','switchboard','create','new','creating','{}','4d7bfdc60147fdcb8187a55b76b92a1b98438c3671550dbbf8da5b33ce6c75d6','3fca13de5267b7d8d7ac717fb5934312ffe4d4f06719cf7b37f605b837f986cb');
INSERT INTO "audit" VALUES(27,1795165240006000,'01M7W2ZEP62T2JS8PTECSXE0AC','switchboard','created','creating','awaiting','{"remote_id":"3ac52ddacc8843139adaa2f6"}','3fca13de5267b7d8d7ac717fb5934312ffe4d4f06719cf7b37f605b837f986cb','53291b59b181375e2c023acd69efbcc689507f06b8fff31e6dd27dd94042264c');
CREATE TABLE audit_head (
	id INTEGER NOT NULL, 
	seq BIGINT NOT NULL, 
	hash TEXT NOT NULL, 
	CONSTRAINT pk_audit_head PRIMARY KEY (id), 
	CONSTRAINT ck_audit_head_one_row CHECK (id = 1)
);
INSERT INTO "audit_head" VALUES(1,27,'53291b59b181375e2c023acd69efbcc689507f06b8fff31e6dd27dd94042264c');
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
	attempts INTEGER NOT NULL, 
	CONSTRAINT pk_board PRIMARY KEY (subject)
);
INSERT INTO "board" VALUES('file:FDEFT7PFKL5','C0FINANCE','1795165200.001300','','1795165200.001500',1,1,0,1795165200001000,NULL,0);
INSERT INTO "board" VALUES('booking:01M7W2ZEP346WJC642G7Q7FNR0','C0FINANCE',NULL,'U0MARIA','1795165240.003000',2,2,0,1795165240003000,NULL,0);
INSERT INTO "board" VALUES('localization:01M7W2ZEP3Y1XQPRPEZMW624T9','C0FINANCE',NULL,'U0MARIA','1795165240.003300',4,4,0,1795165240003000,NULL,0);
INSERT INTO "board" VALUES('file:FQU53N4L7EQ','C0FINANCE','1795165240.003500','','1795165240.003700',1,1,0,1795165240003000,NULL,0);
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
INSERT INTO "booking" VALUES('01M7W2ZEP346WJC642G7Q7FNR0','B-R22BBP','booking','Centro','{"address":"12 Market Street","cents":2550,"cook_minutes":0,"country_code":"+593","email":"","last_name":"Lopez","latitude":"-0.1850","longitude":"-78.4700","mobile":"991234567","name":"Ana","notes":"Ring twice","payment":"CASH","place_reference":"Blue door"}','open',4,'U0MARIA','C0FINANCE',1795165240003000,'view:VZBNWT48JSQ:Centro:{"address": "12 Market Street", "amount": "2550", "cook": "0", "email": "", "last_name": "Lopez", "name": "Ana", "notes": "Ring twice", "payment": "CASH", "phone": "+593 991234567", "place_reference": "Blue door", "position": "-0.1850, -78.4700"}','01M7W2ZEP30WFJ6WAA507Y3FS0','89c0d050a0af41c891059c2f','10001',NULL,'READY_FOR_PICKUP','{"address":"12 Market Street","amount":"25.50","changed_at":"2026-11-20T09:00:40.003000+00:00","changes":1,"currency":"USD","customer":"Ana Lopez","detail_url":"http://127.0.0.1:33555/detail/89c0d050a0af41c891059c2f","fee":"1.71","history":[["2026-11-20T09:00:40.003000+00:00","READY_FOR_PICKUP"]],"payment_method":"CASH","quote":{"currency":"USD","distance":"0.54","eta":"12","fee":"1.71","fee_with_tax":"1.97","tax":"0.26"},"tracking_url":"http://127.0.0.1:33555/track/89c0d050a0af41c891059c2f","validation_code":"1591"}','',1795165240003000,NULL,0,0,1795165270003000,'',NULL,NULL,0,'');
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
INSERT INTO "bulk_flight" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',NULL,'[]',1795165200001000);
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
INSERT INTO "bulk_item" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',2,'ana@example.com','ana@example.com',500,'a','created','63f185c35cfd1dbb2f396d085d22c0d242597ff6ff0fe81a13408b45d38cf7a1','',0);
INSERT INTO "bulk_item" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',3,'luis@example.com','luis@example.com',600,'b','created','a1269a0ccfd4ab0efe7efb3dc1bac942588192f339d180299f6f40d36cae3ed9','',0);
INSERT INTO "bulk_item" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',4,'nobody@example.com','nobody@example.com',700,'c','created','dbc2e93876af8652d116fffd0f0598c546514deee64d938fba691b7e0163254b','',0);
CREATE TABLE "callback_token" (
	token_hash TEXT NOT NULL, 
	instruction_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	expires_at BIGINT, 
	CONSTRAINT pk_callback_token PRIMARY KEY (token_hash), 
	CONSTRAINT fk_callback_token_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id)
);
INSERT INTO "callback_token" VALUES('87a99af1d9de09d7a999411b395a9b301013a3d5211b6e059394bd8f6cf60a1c','01M7W2Y7M18D1TDV3320R94YYP','confirmation',NULL);
INSERT INTO "callback_token" VALUES('d255a2b7b6d48a44ff24b839ea838c49b0a079f74c2798f9d80e4862899f6e8d','01M7W2Y7M18D1TDV3320R94YYP','cancel',NULL);
INSERT INTO "callback_token" VALUES('56a82f0c3f87d1cc2037ee72dbdd451e9aab1ffba4f4ca8f4030ce123bb0a117','01M7W2Y7M18D1TDV3320R94YYP','failure',NULL);
INSERT INTO "callback_token" VALUES('0292775afb9892b6444202ba34115ffec6a20c8d6ecf4d3ae03c2d264dcdc28f','01M7W2Y7M18D1TDV3320R94YYP','purchase',NULL);
INSERT INTO "callback_token" VALUES('4891a95c63b33f0348d7e392b6f7aba88505d6b994ce36a9e466397d931ee657','01M7W2ZEP2DVCRSJK42JVHM9Q6','confirmation',NULL);
INSERT INTO "callback_token" VALUES('3064d37ebded1ed5ae673037c48129169e439adfe50a885e92349af7dcb1b040','01M7W2ZEP2DVCRSJK42JVHM9Q6','cancel',NULL);
INSERT INTO "callback_token" VALUES('e5491212d6a8a96c78f46ba95c4c78f3fdad50644a64850808ec500bf119df71','01M7W2ZEP2DVCRSJK42JVHM9Q6','failure',NULL);
INSERT INTO "callback_token" VALUES('476806bbab625e0d59de8c4c2d11adbcb23ed73542466c204f50bc9f61c25da7','01M7W2ZEP4TYV9EBC9F6M8466M','confirmation',NULL);
INSERT INTO "callback_token" VALUES('9c47e3d531b89e499d417e7fab438cfbdad52b05bcdeba8b72e5eca1fb313269','01M7W2ZEP4TYV9EBC9F6M8466M','cancel',NULL);
INSERT INTO "callback_token" VALUES('6a69ccbcdc7e7016d47667deb5e3e2f19ec5c17a6352773fd36a3d2f30e90f87','01M7W2ZEP4TYV9EBC9F6M8466M','failure',NULL);
INSERT INTO "callback_token" VALUES('3aff1a9d43858e86b9188830941f8e96235d780507afadd50522ebb8183a93fa','01M7W2ZEP56V927S3SKCSPQAZG','confirmation',NULL);
INSERT INTO "callback_token" VALUES('2ed06e177fd5621d2cc5c1666dad06c867b46c2e810038620b06d5c8b9be0650','01M7W2ZEP56V927S3SKCSPQAZG','cancel',NULL);
INSERT INTO "callback_token" VALUES('fbc4568f03b01ba1c50fd287bc47e09e96cf2899a0089ee32839babef3027d95','01M7W2ZEP56V927S3SKCSPQAZG','failure',NULL);
INSERT INTO "callback_token" VALUES('7071ed46fb66db6f6eb38f53dce9f03cfe2b4498c4e4583799ede915766ce246','01M7W2ZEP62T2JS8PTECSXE0AC','confirmation',NULL);
INSERT INTO "callback_token" VALUES('e040d861234ccd30ea01303fff4c8ed41537703399604e110bbe65ef90f3fd20','01M7W2ZEP62T2JS8PTECSXE0AC','cancel',NULL);
INSERT INTO "callback_token" VALUES('f746df0540fff3b2785d32bc1cfc782628348e0d2acf7404ae0b354bbbeafd04','01M7W2ZEP62T2JS8PTECSXE0AC','failure',NULL);
CREATE TABLE card_copy (
	instruction_id TEXT NOT NULL, 
	place TEXT NOT NULL, 
	channel TEXT NOT NULL, 
	ts TEXT NOT NULL, 
	shown_version BIGINT NOT NULL, 
	wanted_version BIGINT NOT NULL, 
	due_at BIGINT, 
	attempts INTEGER NOT NULL, 
	CONSTRAINT pk_card_copy PRIMARY KEY (instruction_id, place), 
	CONSTRAINT fk_card_copy_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id), 
	CONSTRAINT uq_card_copy_channel_ts UNIQUE (channel, ts)
);
INSERT INTO "card_copy" VALUES('01M7W2Y7M18D1TDV3320R94YYP','requester','C0FINANCE','1795165200.001100',4,4,NULL,0);
INSERT INTO "card_copy" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B','requester','C0FINANCE','1795165200.001700',8,8,1795165245001000,0);
INSERT INTO "card_copy" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B','approvals','C0APPROVE','1795165200.001800',8,8,NULL,0);
INSERT INTO "card_copy" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6','requester','C0FINANCE','1795165240.002100',10,10,NULL,0);
INSERT INTO "card_copy" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6','approvals','C0APPROVE','1795165240.002200',10,10,NULL,0);
INSERT INTO "card_copy" VALUES('01M7W2ZEP4TYV9EBC9F6M8466M','requester','C0FINANCE','1795165240.004100',6,6,NULL,0);
INSERT INTO "card_copy" VALUES('01M7W2ZEP4TYV9EBC9F6M8466M','approvals','C0APPROVE','1795165240.004200',6,6,NULL,0);
INSERT INTO "card_copy" VALUES('01M7W2ZEP56V927S3SKCSPQAZG','approvals','C0APPROVE','1795165240.005100',6,7,1795165241005000,1);
INSERT INTO "card_copy" VALUES('01M7W2ZEP56V927S3SKCSPQAZG','requester','DI64FUBWYSJ','1795165240.005200',6,7,1795165241005000,1);
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
INSERT INTO "dropped_file" VALUES('FDEFT7PFKL5','C0FINANCE','1795165200.001300','1795165200.001300','U0MARIA','march.csv',91,'text/csv','table','csv',NULL,'offered',1,1795165200001000,NULL,'',NULL,0,'','["email","amount","note"]');
INSERT INTO "dropped_file" VALUES('FQU53N4L7EQ','C0FINANCE','1795165240.003500','1795165240.003500','U0MARIA','april.csv',91,'text/csv','table','csv',NULL,'offered',1,1795165240003000,NULL,'',NULL,0,'','["email","amount","note"]');
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
INSERT INTO "flag" VALUES('delivery:stores_listed','{"due":"2026-11-20T10:00:00+00:00"}',1795165200000000);
INSERT INTO "flag" VALUES('delivery:evidence','{"book":{"count":1,"first":"2026-11-20T09:00:40.003000+00:00","last":"2026-11-20T09:00:40.003000+00:00","what":"B-R22BBP"},"cash":{"count":1,"first":"2026-11-20T09:00:40.003000+00:00","last":"2026-11-20T09:00:40.003000+00:00","what":"B-R22BBP"},"quote":{"count":1,"first":"2026-11-20T09:00:40.003000+00:00","last":"2026-11-20T09:00:40.003000+00:00","what":"Centro"},"states":{"count":1,"first":"2026-11-20T09:00:40.003000+00:00","last":"2026-11-20T09:00:40.003000+00:00","what":"B-R22BBP"},"view":{"count":1,"first":"2026-11-20T09:00:40.003000+00:00","last":"2026-11-20T09:00:40.003000+00:00","what":"B-R22BBP"}}',1795165240003000);
INSERT INTO "flag" VALUES('delivery:states','{"READY_FOR_PICKUP":"B-R22BBP"}',1795165240003000);
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
INSERT INTO "instruction" VALUES('01M7W2Y7M18D1TDV3320R94YYP','C-LRYAKM','purchase','{"description":"campaign","email":"ben@example.com","items":[{"name":"web","quantity":2,"unit_cents":1000}]}','01M7W2Y7M159P6KMET0WPF1RTA','0d92472d70f99b4392788f1fd96543a6b36a2d8d9aa6857cf0c228158348477d','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','open',1,4,'U0MARIA','C0FINANCE',1795165200001000,'command:3038988187.2219473968.77fe1b95f4c9ce09e9893553da230564',NULL,'b133b29783a6478cb69994dd','CREATED','','','',NULL,NULL,NULL,1795165200001000,NULL,0,NULL,1,0,0,NULL,'',NULL,NULL,'ben@example.com',2000,NULL,NULL,NULL,0,'');
INSERT INTO "instruction" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B','B-9H9ESC','bulk','{"cents":1800,"count":3,"duplicate_count":0,"duplicates":[],"items_digest":"08c835e660468ca701106381438512325c1698fc858699d1666081ca7f12a3ff","largest":[{"cents":700,"email":"nobody@example.com","row":4},{"cents":600,"email":"luis@example.com","row":3},{"cents":500,"email":"ana@example.com","row":2}],"name":"march.csv","new_cents":700,"new_count":3,"people":3,"read_as":"UTF-8; email from \u201cemail\u201d, amount from \u201camount\u201d, note from \u201cnote\u201d","same_as":"","thread_ts":"1795165200.001300","twin_digest":"41fe4ac52ed2adb9bbdc8299cd2030d964e4df2aa9bc3048d98df2f28e82637a"}','01M7W2Y7M16AK602TX82CKNRW3','02a43f5fb5c17e2bcc3d718d3e1163535c038af0b3c9d63f4a336d29211dddda','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','committed',1,9,'U0MARIA','C0FINANCE',1795165200001000,'file:FDEFT7PFKL5',NULL,'28aa83bb3ef347daa9295a39','RUNNING','','','U0ADA',1795165200001000,1795251600001000,1795168800001000,1795165200001000,NULL,0,NULL,0,1,0,NULL,'',NULL,NULL,'41fe4ac52ed2adb9bbdc8299cd2030d964e4df2aa9bc3048d98df2f28e82637a',1800,'{"changed_at":"2026-11-20T09:00:40.001000Z","inactive":1,"inactive_emails":["nobody@example.com"],"looked_up":3,"not_read":0,"over":false,"read_at":"2026-11-20T09:00:40.001000Z","tally":{"counts":{"created":3},"sums":{"created":1800}},"to_look_up":3}',NULL,NULL,0,'');
INSERT INTO "instruction" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6','P-XVNEPC','payout','{"cents":3000,"description":"under-way","email":"ana@example.com"}','01M7W2ZEP2C6FEFY8QBWYREVQD','248beed141965538a4f1b672e55142dc659178b1385edf544c762832a38e9b4f','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','committed',1,10,'U0MARIA','C0FINANCE',1795165240002000,'command:6614311712.45320849.a20a2ae7cc21406fe6a1c3002b63fe2d','{"active":true,"country":"ECU","full_name":"Ana Maria Lopez","primary":true,"problem":"","verified":true}','ad81d424826f414893664172','committed','','','U0ADA',1795165240002000,1795251640002000,1795168840002000,1795165240002000,NULL,0,NULL,1,1,0,NULL,'',NULL,NULL,'ana@example.com',3000,NULL,NULL,NULL,0,'');
INSERT INTO "instruction" VALUES('01M7W2ZEP4TYV9EBC9F6M8466M','P-BM2AZC','payout','{"cents":2500,"description":"awaiting","email":"luis@example.com"}','01M7W2ZEP4YN9SFECJDZHZ4XAC','181ba62c91446795b6def11873dd5dba0c381ad692489c6bb52ae341ca91c58e','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','awaiting',1,6,'U0MARIA','C0FINANCE',1795165240004000,'command:6228940189.3962572631.b3c2ad11767a71afffa2d8f7b4a9a98a','{"active":true,"country":"ECU","full_name":"Luis Andrade","primary":true,"problem":"","verified":false}','dea7df9c4f174397bb28709b','CREATED','','','',1795165240004000,1795251640004000,NULL,1795165240004000,NULL,0,NULL,1,0,0,1795176040004000,'',NULL,NULL,'luis@example.com',2500,NULL,NULL,NULL,0,'');
INSERT INTO "instruction" VALUES('01M7W2ZEP56V927S3SKCSPQAZG','P-84DL8Y','payout','{"cents":1200,"description":"rejected","email":"eva@example.com"}','01M7W2ZEP5A70KCWX90APZPG2F','e4ac25911ec59e4d0fa44cb92eb053dcba78931082267b34b83d43c06d9bc2f2','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','rejected',1,7,'U0MARIA','C0RANDOM',1795165240005000,'command:761582160.5953377670.b02fc6d7ea43c87b24cb5e95c30f753a','{"active":false,"country":null,"full_name":null,"primary":false,"problem":"","verified":false}','209d41f626c64dcc850ebafc','created','','no','U0ADA',1795165240005000,1795251640005000,NULL,1795165240005000,NULL,0,NULL,1,0,0,NULL,'',NULL,1795165240005000,'eva@example.com',1200,NULL,NULL,NULL,0,'');
INSERT INTO "instruction" VALUES('01M7W2ZEP62T2JS8PTECSXE0AC','P-YE6MPY','payout','{"cents":4000,"description":"unsent","email":"tom@example.com"}','01M7W2ZEP6C1P3H2WT769MVP2K','f1ef4d8b5f8531db3812dba0bfc3fb6264e320004ea13a92be5064554669e6bb','{"execute_within_seconds":3600.0,"expires_seconds":86400.0,"quorum":1,"reasons":[],"typed_amount":false}','awaiting',1,5,'U0MARIA','C0FINANCE',1795165240006000,'command:6178378205.3220838801.d18fd904ac799e2bfefac671d7cb4435','{"active":false,"country":null,"full_name":null,"primary":false,"problem":"","verified":false}','3ac52ddacc8843139adaa2f6','CREATED','','','',NULL,NULL,NULL,1795165240006000,NULL,0,NULL,1,0,0,NULL,'',NULL,NULL,'tom@example.com',4000,NULL,NULL,NULL,0,'');
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
INSERT INTO "job" VALUES('01M7W2ZEP3Y1XQPRPEZMW624T9','localization.text','done','{"again_of":"","file":"","file_format":"","file_name":"","operation":"summary_generation","options":{},"seconds":null,"text":"A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough. A sentence that is long enough.","url":""}','{"again":"","by":"","deliveries":[],"ended_at":"2026-11-20T09:00:40.003000+00:00","reason":"","result":{"kind":"written","text":"A sentence that is long enough. (and 19 more points)"},"sent_at":null,"started_at":"2026-11-20T09:00:40.003000+00:00","tries":0,"words":""}','U0MARIA','C0FINANCE',NULL,'command:6045515796.6486276859.441608f9721ba6d433bdcfa062b2e930',3,1795165240003000,NULL,'',NULL,1795165240003000,0,'');
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
	last_error TEXT NOT NULL, subject TEXT, tries INTEGER DEFAULT '0' NOT NULL, stopped TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_outbox PRIMARY KEY (seq), 
	CONSTRAINT ck_outbox_state CHECK (state IN ('new', 'sending', 'sent', 'unknown', 'dead')), 
	CONSTRAINT fk_outbox_instruction_id_instruction FOREIGN KEY(instruction_id) REFERENCES instruction (id), 
	CONSTRAINT uq_outbox_id UNIQUE (id), 
	CONSTRAINT uq_outbox_key UNIQUE ("key")
);
INSERT INTO "outbox" VALUES(1,'01M7W2Y7M1MBR0FJPHT475YA8F','01M7W2Y7M18D1TDV3320R94YYP','card:01M7W2Y7M18D1TDV3320R94YYP:requester','card','requester','C0FINANCE','{}','sent',1,1795165200001000,'',NULL,'C0FINANCE','1795165200.001100',1795165200001000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(2,'01M7W2Y7M1ZSX49Y1CDJY5RH30','01M7W2Y7M18D1TDV3320R94YYP','link:01M7W2Y7M18D1TDV3320R94YYP','link','requester','C0FINANCE','{}','sent',1,1795165200001000,'',NULL,'C0FINANCE','1795165200.001200',1795165200001000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(3,'01M7W2Y7M1K2KJ71PKPGH6T2X7',NULL,'board:file:FDEFT7PFKL5','board','thread','C0FINANCE','{}','sent',1,1795165200001000,'',NULL,'C0FINANCE','1795165200.001500',1795165200001000,'','file:FDEFT7PFKL5',0,'');
INSERT INTO "outbox" VALUES(4,'01M7W2Y7M1HCXPMNVZ5GMSKKBP','01M7W2Y7M1HR1G73TWE04D2B9B','card:01M7W2Y7M1HR1G73TWE04D2B9B:requester','card','requester','C0FINANCE','{}','sent',1,1795165200001000,'',NULL,'C0FINANCE','1795165200.001700',1795165200001000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(5,'01M7W2Y7M1MDBJK1GGXQ0VZZEA','01M7W2Y7M1HR1G73TWE04D2B9B','card:01M7W2Y7M1HR1G73TWE04D2B9B:approvals','card','approvals','C0APPROVE','{}','sent',1,1795165200001000,'',NULL,'C0APPROVE','1795165200.001800',1795165200001000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(6,'01M7W2Y7M1JBTSK9AE6QRJMQ1K','01M7W2Y7M1HR1G73TWE04D2B9B','file:01M7W2Y7M1HR1G73TWE04D2B9B:approvals:request','file','approvals','C0APPROVE','{"what":"request"}','sent',1,1795165200001000,'',NULL,'C0APPROVE','1795165200.001900',1795165200001000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(7,'01M7W2ZEP20RZ9GMR2HV46TAY4','01M7W2ZEP2DVCRSJK42JVHM9Q6','card:01M7W2ZEP2DVCRSJK42JVHM9Q6:requester','card','requester','C0FINANCE','{}','sent',1,1795165240002000,'',NULL,'C0FINANCE','1795165240.002100',1795165240002000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(8,'01M7W2ZEP28JMZSDDJZP6EBST1','01M7W2ZEP2DVCRSJK42JVHM9Q6','card:01M7W2ZEP2DVCRSJK42JVHM9Q6:approvals','card','approvals','C0APPROVE','{}','sent',1,1795165240002000,'',NULL,'C0APPROVE','1795165240.002200',1795165240002000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(9,'01M7W2ZEP37R12CZAXWGH08D7J',NULL,'board:booking:01M7W2ZEP346WJC642G7Q7FNR0','board','thread','C0FINANCE','{}','sent',1,1795165240003000,'',NULL,'C0FINANCE','1795165240.003000',1795165240003000,'','booking:01M7W2ZEP346WJC642G7Q7FNR0',0,'');
INSERT INTO "outbox" VALUES(10,'01M7W2ZEP3P6XZDCKG8B245D63',NULL,'line:booking:01M7W2ZEP346WJC642G7Q7FNR0:moved:1','line','thread','C0FINANCE','{"before":"","by":"","change":"moved","driver":{},"proof":"","reason":"","status":"READY_FOR_PICKUP","topic":"moved"}','sent',1,1795165240003000,'',NULL,'C0FINANCE','1795165240.003100',1795165240003000,'','booking:01M7W2ZEP346WJC642G7Q7FNR0',0,'');
INSERT INTO "outbox" VALUES(11,'01M7W2ZEP39A9JNFW2FW5Q4YHJ',NULL,'board:localization:01M7W2ZEP3Y1XQPRPEZMW624T9','board','thread','C0FINANCE','{}','sent',1,1795165240003000,'',NULL,'C0FINANCE','1795165240.003300',1795165240003000,'','localization:01M7W2ZEP3Y1XQPRPEZMW624T9',0,'');
INSERT INTO "outbox" VALUES(12,'01M7W2ZEP35VSV683ZD181PTJM',NULL,'line:localization:01M7W2ZEP3Y1XQPRPEZMW624T9:result','line','thread','C0FINANCE','{"what":"result"}','sent',1,1795165240003000,'',NULL,'C0FINANCE','1795165240.003400',1795165240003000,'','localization:01M7W2ZEP3Y1XQPRPEZMW624T9',0,'');
INSERT INTO "outbox" VALUES(13,'01M7W2ZEP3N339DA0BN9YRKFX5',NULL,'board:file:FQU53N4L7EQ','board','thread','C0FINANCE','{}','sent',1,1795165240003000,'',NULL,'C0FINANCE','1795165240.003700',1795165240003000,'','file:FQU53N4L7EQ',0,'');
INSERT INTO "outbox" VALUES(14,'01M7W2ZEP4RSQ3MMJ15PMBSS4K','01M7W2ZEP4TYV9EBC9F6M8466M','card:01M7W2ZEP4TYV9EBC9F6M8466M:requester','card','requester','C0FINANCE','{}','sent',1,1795165240004000,'',NULL,'C0FINANCE','1795165240.004100',1795165240004000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(15,'01M7W2ZEP4JR85K41G6BZ2W6BY','01M7W2ZEP4TYV9EBC9F6M8466M','card:01M7W2ZEP4TYV9EBC9F6M8466M:approvals','card','approvals','C0APPROVE','{}','sent',1,1795165240004000,'',NULL,'C0APPROVE','1795165240.004200',1795165240004000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(16,'01M7W2ZEP5S3XG1FB6MA1WXF2B','01M7W2ZEP56V927S3SKCSPQAZG','card:01M7W2ZEP56V927S3SKCSPQAZG:requester','card','requester','C0RANDOM','{"direct":true}','sent',1,1795165240005000,'',NULL,'DI64FUBWYSJ','1795165240.005200',1795165240005000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(17,'01M7W2ZEP5EQMVJCQ6XHY3V3NV','01M7W2ZEP56V927S3SKCSPQAZG','card:01M7W2ZEP56V927S3SKCSPQAZG:approvals','card','approvals','C0APPROVE','{}','sent',1,1795165240005000,'',NULL,'C0APPROVE','1795165240.005100',1795165240005000,'',NULL,0,'');
INSERT INTO "outbox" VALUES(18,'01M7W2ZEP55EV81X57W5ZXR2KN','01M7W2ZEP56V927S3SKCSPQAZG','news:01M7W2ZEP56V927S3SKCSPQAZG:approvals:rejected:1','news','approvals','C0APPROVE','{"decided_by":"U0ADA","reason":"no","refusal":null,"state":"rejected","svc_hash":"","voters":[]}','unknown',1,1795165250005000,'',NULL,'','',1795165240005000,'answered 500 without a readable body',NULL,0,'');
INSERT INTO "outbox" VALUES(19,'01M7W2ZEP5CT7521EFWH2A5T2D','01M7W2ZEP56V927S3SKCSPQAZG','news:01M7W2ZEP56V927S3SKCSPQAZG:requester:rejected:1','news','requester','C0RANDOM','{"decided_by":"U0ADA","reason":"no","refusal":null,"state":"rejected","svc_hash":"","voters":[]}','unknown',1,1795165250005000,'',NULL,'','',1795165240005000,'answered 500 without a readable body',NULL,0,'');
INSERT INTO "outbox" VALUES(20,'01M7W2ZEP6N8GATN6NCZB0Z24C','01M7W2ZEP62T2JS8PTECSXE0AC','card:01M7W2ZEP62T2JS8PTECSXE0AC:requester','card','requester','C0FINANCE','{}','new',0,1795165241006000,'',NULL,'','',1795165240006000,'asked us to wait',NULL,0,'');
INSERT INTO "outbox" VALUES(21,'01M7W2ZEP6HEM2HG2CKK34DNCW','01M7W2ZEP62T2JS8PTECSXE0AC','card:01M7W2ZEP62T2JS8PTECSXE0AC:approvals','card','approvals','C0APPROVE','{}','new',0,1795165241006000,'',NULL,'','',1795165240006000,'asked us to wait',NULL,0,'');
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
INSERT INTO "reservation" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',1,'2026-11-20',1800,0);
INSERT INTO "reservation" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6',2,'2026-11-20',3000,0);
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
INSERT INTO "store" VALUES('01M7W2Y7M01SHT3MFEA8NXQMM7','Centro','centro','ready','1.27760f67.ApmRNkTqYEl1LBF__CaOM38xPQBVu01zuKB2ePfs4NiHwGgOIDPrhlltMq1BAdCLpZPDyK7cEw==','d4e49f12455e3a6e8fdfa0e7','{"address":"1 Main Square","country_code":"+593","email":"store@example.com","id":"d4e49f12455e3a6e8fdfa0e7","latitude":"-0.1807","longitude":"-78.4678","mobile":"22345678","name":"Centro","reference":"Beside the church"}',1795165200000000,'',1795165200000000,NULL);
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
INSERT INTO "tracked" VALUES('purchase','b133b29783a6478cb69994dd','01M7W2Y7M18D1TDV3320R94YYP',1795165200001000,1795165307501000,1,'',NULL,'CREATED',NULL,0,'');
INSERT INTO "tracked" VALUES('bulk','28aa83bb3ef347daa9295a39','01M7W2Y7M1HR1G73TWE04D2B9B',1795165200001000,1795165269343425,0,'',NULL,'running|3|3||',NULL,0,'');
INSERT INTO "tracked" VALUES('payout','ad81d424826f414893664172','01M7W2ZEP2DVCRSJK42JVHM9Q6',1795165240002000,1795165270002000,0,'',NULL,'',NULL,0,'');
INSERT INTO "tracked" VALUES('orphan','209d41f626c64dcc850ebafc','01M7W2ZEP56V927S3SKCSPQAZG',1795165240005000,1795165270005000,0,'',NULL,'',NULL,0,'');
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
INSERT INTO "vote" VALUES('01M7W2Y7M1HR1G73TWE04D2B9B',1,'U0ADA','approve',1795165200001000,0);
INSERT INTO "vote" VALUES('01M7W2ZEP2DVCRSJK42JVHM9Q6',1,'U0ADA','approve',1795165240002000,0);
CREATE INDEX ix_instruction_due_at ON instruction (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ix_instruction_payee_email_cents_created_at ON instruction (payee_email, cents, created_at);
CREATE INDEX ix_instruction_remote_id ON instruction (remote_id);
CREATE INDEX ix_instruction_requester ON instruction (requester);
CREATE INDEX ix_instruction_state ON instruction (state);
CREATE UNIQUE INDEX uq_attempt_open ON attempt (instruction_id) WHERE outcome = 'open';
CREATE INDEX ix_reservation_day ON reservation (day);
CREATE INDEX ix_outbox_instruction_id_place_seq ON outbox (instruction_id, place, seq);
CREATE INDEX ix_outbox_open_due_at ON outbox (due_at) WHERE state IN ('new', 'sending', 'unknown');
CREATE INDEX ix_inbox_received_due_at ON inbox (due_at) WHERE state = 'received';
CREATE INDEX ix_card_copy_due_at ON card_copy (due_at) WHERE due_at IS NOT NULL;
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
COMMIT;
