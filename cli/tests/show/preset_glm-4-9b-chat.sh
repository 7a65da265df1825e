ropewalk show glm-4-9b-chat
